import type { ReactNode } from 'react'
import { Code } from '../design/code.tsx'
import { CopyButton } from '../design/copy-button.tsx'

/** Lines of `what: value` under a row. */
export function Facts({ rows }: { readonly rows: readonly (readonly [what: string, value: ReactNode])[] }) {
  return (
    <dl className="mt-1.5 grid grid-cols-[72px_1fr] items-baseline gap-x-1 text-12">
      {rows.map(([what, value]) => (
        <div key={what} className="contents">
          <dt className="py-0.5 text-text-3">{what}</dt>
          <dd className="min-w-0 py-0.5 text-text-2">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Text with `code` in backticks; the last piece of code can be copied. */
export function NextStep({ text }: { readonly text: string }) {
  const parts = text.split(/`([^`]+)`/)
  const commands = parts.filter((_, i) => i % 2 === 1)
  const command = commands.at(-1)
  return (
    <span>
      {parts.map((part, i) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: a part is identified by its position
        i % 2 === 1 ? <Code key={i}>{part}</Code> : part,
      )}
      {command !== undefined && (
        <span className="ml-1 inline-flex align-middle">
          <CopyButton text={command} iconOnly kind="quiet" />
        </span>
      )}
    </span>
  )
}
