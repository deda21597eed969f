import { useContext, useState } from 'react'
import { classes } from '../../design/class.ts'
import { words } from '../../words.ts'
import { seen } from '../plain.ts'
import { MarkedWords, marksOf } from './marks.ts'

const w = words.transcript
const FIRST = 4_000
const MORE = 50_000

/** What someone or something wrote: only ever text, by its beginning where it is long. */
export function Text(props: {
  readonly text: string
  /** Characters that the server did not send. */
  readonly leftOut?: unknown
  readonly mono?: boolean
}) {
  const { text, mono = false } = props
  const [most, setMost] = useState(FIRST)
  const leftOut = typeof props.leftOut === 'number' ? props.leftOut : 0
  const rest = text.length - most
  return (
    <div className={classes('[unicode-bidi:isolate]', mono && 'text-12')}>
      <div
        className={classes(
          'whitespace-pre-wrap [overflow-wrap:anywhere]',
          mono && 'font-mono text-11 leading-[17px] text-text-2',
        )}
      >
        <Highlighted text={seen(rest > 0 ? text.slice(0, most) : text)} />
        {rest > 0 && '…'}
      </div>
      {rest > 0 && (
        <button
          type="button"
          className="text-12 text-gold-text hover:underline touch:h-11"
          onClick={() => setMost(most + MORE)}
        >
          {w.showMore(Math.min(rest, MORE))}
        </button>
      )}
      {rest <= 0 && leftOut > 0 && <p className="text-12 text-text-3">{w.leftOut(leftOut)}</p>}
    </div>
  )
}

/** A text with the searched words marked. */
export function Highlighted({ text }: { readonly text: string }) {
  const marks = marksOf(text, useContext(MarkedWords))
  if (marks.length === 0) return text
  return (
    <>
      {marks.map(([from, to], i) => (
        <span key={from}>
          {text.slice(marks[i - 1]?.[1] ?? 0, from)}
          <mark className="rounded-tag bg-gold/30 text-text">{text.slice(from, to)}</mark>
        </span>
      ))}
      {text.slice(marks.at(-1)?.[1] ?? 0)}
    </>
  )
}
