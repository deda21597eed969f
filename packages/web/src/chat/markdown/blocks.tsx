import type { Token, Tokens } from 'marked'
import { Fragment, type ReactNode } from 'react'
import { words } from '../../words.ts'
import { CodeBlock } from './code-block.tsx'

/** Maximum nesting depth of blocks; anything deeper is shown as plain text. */
const DEEPEST = 12

interface BlocksProps {
  readonly tokens: readonly Token[]
  /** Appended after the last word. */
  readonly end?: ReactNode
  readonly depth?: number
}

export function Blocks({ tokens, end = null, depth = 0 }: BlocksProps) {
  const shown = tokens.filter(({ type }) => type !== 'space' && type !== 'def')
  if (shown.length === 0) return end
  return shown.map((token, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a block is identified by its position
    <Fragment key={i}>
      <Block token={token} end={i === shown.length - 1 ? end : null} depth={depth} />
    </Fragment>
  ))
}

const HEADINGS = ['text-18', 'text-15', 'text-13'] as const

function Block(props: { readonly token: Token; readonly end: ReactNode; readonly depth: number }) {
  const { end, depth } = props
  const token = props.token as Tokens.Generic
  if (depth >= DEEPEST) return <Raw text={token.raw} end={end} />
  switch (token.type) {
    case 'heading':
      // Screen readers get these headings at levels below the page's own.
      return (
        // biome-ignore lint/a11y/useSemanticElements: the level must be below the headings of the page
        <div
          role="heading"
          aria-level={Math.min(6, Number(token.depth) + 2)}
          className={`pt-1 font-semibold ${HEADINGS[Number(token.depth) - 1] ?? 'text-13'}`}
        >
          <Inlines tokens={token.tokens ?? []} />
          {end}
        </div>
      )
    case 'paragraph':
      return (
        <p>
          <Inlines tokens={token.tokens ?? []} />
          {end}
        </p>
      )
    case 'text':
      return (
        <span>
          {token.tokens ? <Inlines tokens={token.tokens} /> : String(token.text ?? '')}
          {end}
        </span>
      )
    case 'code':
      return (
        <>
          <CodeBlock language={String(token.lang ?? '')} text={String(token.text ?? '')} />
          {end}
        </>
      )
    case 'blockquote':
      return (
        <blockquote className="flex flex-col gap-2 border-l-2 border-line-strong pl-3 text-text-2">
          <Blocks tokens={token.tokens ?? []} end={end} depth={depth + 1} />
        </blockquote>
      )
    case 'list':
      return <List list={token as unknown as Tokens.List} end={end} depth={depth} />
    case 'table':
      return <Table table={token as unknown as Tokens.Table} end={end} />
    case 'hr':
      return <hr className="border-line" />
    default:
      return <Raw text={token.raw} end={end} />
  }
}

/** Unsupported Markdown, above all HTML, is shown as its source text. */
const Raw = ({ text, end }: { readonly text: string; readonly end: ReactNode }) => (
  <p className="whitespace-pre-wrap">
    {text.replace(/\n+$/, '')}
    {end}
  </p>
)

function List({
  list,
  end,
  depth,
}: {
  readonly list: Tokens.List
  readonly end: ReactNode
  readonly depth: number
}) {
  const items = list.items.map((item, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: an item is identified by its position
    <li key={i} className={item.task ? 'list-none' : undefined}>
      <div className="flex flex-col gap-1">
        {item.task ? (
          <span className="flex gap-2">
            <span aria-hidden="true">{item.checked ? '☑' : '☐'}</span>
            <span className="min-w-0">
              <Blocks tokens={item.tokens.filter(({ type }) => type !== 'checkbox')} depth={depth + 1} />
            </span>
          </span>
        ) : (
          <Blocks tokens={item.tokens} depth={depth + 1} end={i === list.items.length - 1 ? end : null} />
        )}
      </div>
    </li>
  ))
  const gaps = 'flex flex-col gap-1 pl-5'
  if (!list.ordered) return <ul className={`list-disc ${gaps}`}>{items}</ul>
  return (
    <ol className={`list-decimal ${gaps}`} start={typeof list.start === 'number' ? list.start : 1}>
      {items}
    </ol>
  )
}

const SIDES = { left: 'text-left', right: 'text-right', center: 'text-center' } as const

function Table({ table, end }: { readonly table: Tokens.Table; readonly end: ReactNode }) {
  const side = (at: number) => SIDES[table.align[at] ?? 'left']
  return (
    <div
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it
      tabIndex={0}
      className="scroll-cue max-w-full overflow-x-auto rounded-control border border-line [--cue:var(--surface)]"
    >
      <table className="w-full text-12 wrap-normal">
        <thead>
          <tr className="border-b border-line text-text-3">
            {table.header.map((cell, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a column is identified by its position
              <th key={i} scope="col" className={`px-2.5 py-1 font-medium whitespace-nowrap ${side(i)}`}>
                <Inlines tokens={cell.tokens} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is identified by its position
            <tr key={i} className="border-b border-line last:border-b-0">
              {row.map((cell, j) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a column is identified by its position
                <td key={j} className={`px-2.5 py-1 ${side(j)}`}>
                  <Inlines tokens={cell.tokens} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {end}
    </div>
  )
}

/** Renders the inline content of a line: emphasis, code and links. */
function Inlines({ tokens, depth = 0 }: { readonly tokens: readonly Token[]; readonly depth?: number }) {
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
  const href = toSafeLink(props.href)
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
  const to = toSafeLink(href)
  if (to === null) return <span className="text-text-3">{label}</span>
  return <SafeLink href={to} raw={label} inside={label} />
}

const ALLOWED = ['http:', 'https:', 'mailto:']
const LONGEST = 4_000

/** Returns an address that a link may lead to; null for scripts, files and addresses within this page. */
export function toSafeLink(href: string): string | null {
  if (href.length > LONGEST) return null
  try {
    const address = new URL(href)
    return ALLOWED.includes(address.protocol) ? address.href : null
  } catch {
    return null
  }
}
