import { useState } from 'react'
import { seen } from '../../sessions/visible-text.ts'
import { words } from '../../words.ts'

const FIRST = 6_000
const MORE = 50_000

/**
 * Text of a person or a model. It is never rendered as markup, and only the beginning of a long one is shown.
 */
export function LongText({ text }: { readonly text: string }) {
  const [most, setMost] = useState(FIRST)
  const rest = text.length - most
  return (
    <>
      <div className="whitespace-pre-wrap [overflow-wrap:anywhere] [unicode-bidi:isolate]">
        {seen(rest > 0 ? text.slice(0, most) : text)}
        {rest > 0 && '…'}
      </div>
      {rest > 0 && (
        <button
          type="button"
          className="text-12 text-gold-text hover:underline touch:h-11"
          onClick={() => setMost(most + MORE)}
        >
          {words.moa.saw.more(Math.min(rest, MORE))}
        </button>
      )}
    </>
  )
}
