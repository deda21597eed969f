import { Fragment, type ReactNode } from 'react'

const MOST_LINES = 2_000

/** Shows any value as colored JSON. Text from agents is never rendered as markup here. */
export function Json({ value }: { readonly value: unknown }) {
  const lines: ReactNode[] = []
  write(lines, value, 0, null, '')
  return (
    <pre className="overflow-x-auto p-3 text-12 leading-[18px] text-text">
      {lines.slice(0, MOST_LINES).map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is identified by its position
        <Fragment key={i}>
          {line}
          {'\n'}
        </Fragment>
      ))}
      {lines.length > MOST_LINES && <span className="text-text-3">…</span>}
    </pre>
  )
}

function write(lines: ReactNode[], value: unknown, depth: number, name: string | null, end: string): void {
  if (lines.length > MOST_LINES) return
  const lead = (
    <>
      {'  '.repeat(depth)}
      {name !== null && (
        <>
          <span className="text-text-3">{JSON.stringify(name)}</span>
          {': '}
        </>
      )}
    </>
  )
  const items = toEntries(value)
  if (!items || items.length === 0) {
    lines.push(
      <>
        {lead}
        <Scalar value={value} />
        {end}
      </>,
    )
    return
  }
  const list = Array.isArray(value)
  lines.push(
    <>
      {lead}
      {list ? '[' : '{'}
    </>,
  )
  items.forEach(([key, item], i) => {
    write(lines, item, depth + 1, list ? null : key, i < items.length - 1 ? ',' : '')
  })
  lines.push(`${'  '.repeat(depth)}${list ? ']' : '}'}${end}`)
}

function toEntries(value: unknown): readonly (readonly [string, unknown])[] | null {
  return typeof value === 'object' && value !== null ? Object.entries(value) : null
}

function Scalar({ value }: { readonly value: unknown }) {
  if (typeof value === 'number') return <span className="text-haiku">{String(value)}</span>
  if (value === false) return <span className="text-failed">false</span>
  if (value === true) return <span className="text-done">true</span>
  if (value === null) return <span className="text-text-3">null</span>
  return <span className="break-words whitespace-pre-wrap">{JSON.stringify(value)}</span>
}
