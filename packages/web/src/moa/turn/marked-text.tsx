import { toVisible } from '@panoptes/schema/shown'
import type { CSSProperties } from 'react'
import { useState } from 'react'
import { words } from '../../words.ts'
import { familyColor, familyOfSlot, referenceLetter } from '../format.ts'
import { type Mark, splitAtMarks } from './shared-phrases.ts'

const w = words.moa.marks

/** An underline per reference, distinguished by its style and not only by color. */
const LINES: readonly CSSProperties['textDecorationStyle'][] = ['solid', 'dashed', 'dotted', 'double', 'wavy']
const FIRST = 6_000
const MORE = 50_000

/** A reference whose phrases may be marked. */
export interface NamedReference {
  readonly label: string
  readonly model: string
}

/** A text with the phrases underlined that a reference shares. */
export function MarkedText(props: {
  readonly text: string
  readonly marks: readonly Mark[]
  readonly references: readonly NamedReference[]
}) {
  return (
    <>
      {splitAtMarks(props.text, props.marks).map(({ at, text, reference }) =>
        reference === null ? (
          toVisible(text)
        ) : (
          <Shared key={at} text={toVisible(text)} at={reference} of={props.references[reference]} />
        ),
      )}
    </>
  )
}

function Shared(props: {
  readonly text: string
  readonly at: number
  readonly of: NamedReference | undefined
}) {
  const { at, of } = props
  const letter = referenceLetter(at)
  return (
    <span title={w.shared(letter, of?.label ?? '')}>
      <span
        className="underline-offset-3"
        style={{
          textDecorationLine: 'underline',
          textDecorationStyle: LINES[at % LINES.length],
          textDecorationThickness: at % LINES.length === 4 ? '1px' : '2px',
          textDecorationColor: familyColor(familyOfSlot({ model: of?.model ?? '' })),
        }}
      >
        {props.text}
      </span>
      <sup className="ml-px text-[10px] font-semibold text-text-2">{letter}</sup>
    </span>
  )
}

/**
 * Text of a person or a model. It is never rendered as markup, and only the beginning of a long one is shown.
 */
export function LongText({ text }: { readonly text: string }) {
  const [most, setMost] = useState(FIRST)
  const rest = text.length - most
  return (
    <>
      <div className="whitespace-pre-wrap [overflow-wrap:anywhere] [unicode-bidi:isolate]">
        {toVisible(rest > 0 ? text.slice(0, most) : text)}
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
