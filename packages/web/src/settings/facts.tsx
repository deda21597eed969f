import type { ReactNode } from 'react'
import { Code } from '../design/code.tsx'
import { CopyButton } from '../design/copy-button.tsx'

/** Lines of "what: value" under a row. */
export function Facts({ rows }: { readonly rows: readonly (readonly [what: string, value: ReactNode])[] }) {
  return (
    <dl className="mt-1.5 grid grid-cols-[72px_1fr] gap-x-1 gap-y-1 text-12">
      {rows.map(([what, value]) => (
        <div key={what} className="contents">
          <dt className="text-text-3">{what}</dt>
          <dd className="min-w-0 text-text-2">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Text in which `code` stands between backticks; what looks like a command can be copied. */
export function NextStep({ text }: { readonly text: string }) {
  const parts = text.split(/`([^`]+)`/)
  const commands = parts.filter((_, i) => i % 2 === 1)
  const command = commands.at(-1)
  return (
    <span className="inline-flex flex-wrap items-center gap-x-1 gap-y-1">
      {parts.map((part, i) => {
        if (part === '') return null
        // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place
        return i % 2 === 1 ? <Code key={i}>{part}</Code> : <span key={i}>{part}</span>
      })}
      {command !== undefined && <CopyButton text={command} iconOnly kind="quiet" />}
    </span>
  )
}
