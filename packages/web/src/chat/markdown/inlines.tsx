import type { Token, Tokens } from 'marked'
import { Fragment } from 'react'
import { words } from '../../words.ts'

const DEEPEST = 12

/** Renders the inline content of a line: emphasis, code and links. */
export function Inlines({
  tokens,
  depth = 0,
}: {
  readonly tokens: readonly Token[]
  readonly depth?: number
}) {
  return tokens.map((token, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a word is identified by its position
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
      // HTML is shown as its source text and never rendered.
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

/** The page loads nothing from elsewhere, so an image becomes its alt text and a link. */
function Picture({ text, href }: { readonly text: string; readonly href: string }) {
  const label = words.chat.markdown.picture(text)
  const to = safeLink(href)
  if (to === null) return <span className="text-text-3">{label}</span>
  return <SafeLink href={to} raw={label} inside={label} />
}

const ALLOWED = ['http:', 'https:', 'mailto:']
const LONGEST = 4_000

/** Returns an address that a link may lead to; null for scripts, files and addresses within this page. */
export function safeLink(href: string): string | null {
  if (href.length > LONGEST) return null
  try {
    const address = new URL(href)
    return ALLOWED.includes(address.protocol) ? address.href : null
  } catch {
    return null
  }
}
