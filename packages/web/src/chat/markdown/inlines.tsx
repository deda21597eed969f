import type { Token, Tokens } from 'marked'
import { Fragment } from 'react'
import { words } from '../../words.ts'
import { safeLink } from './safe-link.ts'

const DEEPEST = 12

/** Words of a line: strong, marked as code, linked. */
export function Inlines({
  tokens,
  depth = 0,
}: {
  readonly tokens: readonly Token[]
  readonly depth?: number
}) {
  return tokens.map((token, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a word is its place
    <Fragment key={i}>
      <Inline token={token as Tokens.Generic} depth={depth} />
    </Fragment>
  ))
}

function Inline({ token, depth }: { readonly token: Tokens.Generic; readonly depth: number }) {
  if (depth >= DEEPEST) return token.raw
  const inside = () => <Inlines tokens={token.tokens ?? []} depth={depth + 1} />
  switch (token.type) {
    case 'strong':
      return <strong className="font-semibold">{inside()}</strong>
    case 'em':
      return <em>{inside()}</em>
    case 'del':
      return <del>{inside()}</del>
    case 'codespan':
      return (
        <code className="rounded-tag border border-line bg-app px-1 text-12 break-words">
          {String(token.text ?? '')}
        </code>
      )
    case 'br':
      return <br />
    case 'link':
      return <SafeLink href={String(token.href ?? '')} raw={token.raw} inside={inside()} />
    case 'image':
      return <Picture text={String(token.text ?? '')} href={String(token.href ?? '')} />
    case 'text':
      return token.tokens ? inside() : String(token.text ?? '')
    case 'escape':
      return String(token.text ?? '')
    default:
      // HTML is what was written, not what it would become.
      return token.raw
  }
}

function SafeLink(props: { readonly href: string; readonly raw: string; readonly inside: React.ReactNode }) {
  const href = safeLink(props.href)
  if (href === null) return props.raw
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer nofollow ugc"
      title={href}
      className="text-gold-text underline decoration-line-strong underline-offset-3 hover:decoration-current"
    >
      {props.inside}
    </a>
  )
}

/** Nothing is loaded from elsewhere: a picture is its words, and the way to it. */
function Picture({ text, href }: { readonly text: string; readonly href: string }) {
  const label = words.chat.markdown.picture(text)
  const to = safeLink(href)
  if (to === null) return <span className="text-text-3">{label}</span>
  return <SafeLink href={to} raw={label} inside={label} />
}
