import type { ReactNode } from 'react'
import type { Marks } from './match.ts'

/** A text with the letters that matched in gold and underlined. */
export function Marked({ text, marks }: { readonly text: string; readonly marks: Marks }) {
  const parts: ReactNode[] = []
  let at = 0
  for (const [from, to] of marks) {
    if (from > at) parts.push(text.slice(at, from))
    parts.push(
      <mark
        key={from}
        className="bg-transparent font-semibold text-gold-text underline decoration-2 underline-offset-3"
      >
        {text.slice(from, to)}
      </mark>,
    )
    at = to
  }
  parts.push(text.slice(at))
  return <>{parts}</>
}
