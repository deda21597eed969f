import { toVisible } from '@panoptes/schema/shown'
import { useState } from 'react'
import { Button } from '../../design/button.tsx'
import { classes } from '../../design/class-names.ts'
import { words } from '../../words.ts'
import type { DiffLine } from './edit.ts'
import { Highlighted } from './text.tsx'

const FIRST = 60
const MORE = 500
const WIDEST = 2_000
const looks: Record<DiffLine['kind'], readonly [sign: string, look: string]> = {
  same: [' ', ''],
  added: ['+', 'bg-done/15'],
  removed: ['-', 'bg-failed/15'],
}

/** Shows added and removed lines with their signs. */
export function Diff({ lines }: { readonly lines: readonly DiffLine[] }) {
  const [most, setMost] = useState(FIRST)
  const rest = lines.length - most
  const isNumbered = lines.some((line) => line.before !== undefined || line.after !== undefined)
  return (
    <div className="border-t border-line py-1 font-mono text-11 leading-[18px]">
      {lines.slice(0, most).map(({ kind, text, before, after }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is identified by its position
        <div key={i} className={classes('flex gap-2 px-2.5', looks[kind][1])}>
          {isNumbered &&
            [before, after].map((number, side) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the two numbers are identified by their position
              <span key={side} className="w-7 shrink-0 text-right text-text-3 select-none">
                {number}
              </span>
            ))}
          <span className="text-text-3 select-none">{looks[kind][0]}</span>
          <span className="min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]">
            <Highlighted text={cutLine(text)} />
          </span>
        </div>
      ))}
      {rest > 0 && (
        <div className="px-2.5 pt-1">
          <Button onClick={() => setMost(most + MORE)}>{words.transcript.linesLeftOut(rest)}</Button>
        </div>
      )}
    </div>
  )
}

/** Cuts a line that is too long to read. */
const cutLine = (text: string): string =>
  text.length > WIDEST ? `${toVisible(text.slice(0, WIDEST))}…` : toVisible(text)
