import type { CSSProperties } from 'react'
import { seen } from '../../sessions/plain.ts'
import { words } from '../../words.ts'
import { colorOf, familyOfSlot, letterOf } from '../figures.ts'
import { type Mark, piecesOf } from './phrases.ts'

const w = words.moa.marks

/** A line for each reference: told apart by its kind, not by its colour alone. */
const LINES: readonly CSSProperties['textDecorationStyle'][] = ['solid', 'dashed', 'dotted', 'double', 'wavy']

/** Whose phrases may be marked. */
export interface Named {
  readonly label: string
  readonly model: string
}

/** A text with phrases underlined that a reference has, too. */
export function MarkedText(props: {
  readonly text: string
  readonly marks: readonly Mark[]
  readonly references: readonly Named[]
}) {
  return (
    <>
      {piecesOf(props.text, props.marks).map(({ at, text, reference }) =>
        reference === null ? (
          seen(text)
        ) : (
          <Shared key={at} text={seen(text)} at={reference} of={props.references[reference]} />
        ),
      )}
    </>
  )
}

function Shared(props: { readonly text: string; readonly at: number; readonly of: Named | undefined }) {
  const { at, of } = props
  const letter = letterOf(at)
  return (
    <span title={w.shared(letter, of?.label ?? '')}>
      <span
        className="underline-offset-3"
        style={{
          textDecorationLine: 'underline',
          textDecorationStyle: LINES[at % LINES.length],
          textDecorationThickness: at % LINES.length === 4 ? '1px' : '2px',
          textDecorationColor: colorOf(familyOfSlot({ model: of?.model ?? '' })),
        }}
      >
        {props.text}
      </span>
      <sup className="ml-px text-[10px] font-semibold text-text-2">{letter}</sup>
    </span>
  )
}
