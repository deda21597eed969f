import type { ToolCallExample } from '@panoptes/schema'
import { toVisible, toVisibleLine } from '@panoptes/schema/shown'
import { useState } from 'react'
import { Glyph } from '../design/glyph.tsx'
import * as f from '../format.ts'
import { linkClass } from '../sessions/transcript/text.tsx'
import { words } from '../words.ts'
import { argumentsText, splitPieces } from './example-text.ts'

const w = words.templates.examples
const FIRST = 10
const NAME = 80
const SHOWN = 2_000

/** Tool calls and their results in order. Text of agents is never rendered as markup. */
export function Examples(props: {
  readonly examples: readonly ToolCallExample[]
  /** The number of secrets removed from each; unknown for files created elsewhere. */
  readonly removed: readonly number[]
}) {
  const { examples, removed } = props
  const [all, setAll] = useState(false)
  if (examples.length === 0) return <p className="text-12 text-text-2">{w.none}</p>
  const shown = all ? examples : examples.slice(0, FIRST)
  const rest = examples.length - shown.length
  return (
    <>
      <ol aria-label={w.title} className="flex flex-col gap-2">
        {shown.map((example, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an example is identified by its position
          <li key={i}>
            <Example example={example} at={i + 1} removed={removed[i] ?? 0} />
          </li>
        ))}
      </ol>
      {rest > 0 && (
        <button type="button" className={`mt-2.5 ${linkClass}`} onClick={() => setAll(true)}>
          {w.more(rest)}
        </button>
      )}
    </>
  )
}

function Example(props: {
  readonly example: ToolCallExample
  readonly at: number
  readonly removed: number
}) {
  const { example, removed } = props
  const args = argumentsText(example.arguments)
  return (
    <article className="overflow-hidden rounded-control border border-line bg-raised">
      <header className="flex items-center gap-2 border-b border-line px-2.5 py-1.5 text-12">
        <span className="text-text-3">{f.count(props.at)}</span>
        <h3 className="min-w-0 flex-1 truncate font-semibold">{toVisibleLine(example.tool_name, NAME)}</h3>
        {removed > 0 && <span className="text-11 whitespace-nowrap text-stuck">{w.removed(removed)}</span>}
        <Glyph name={example.success ? 'done' : 'failed'} size={14} />
        <span className="sr-only">{example.success ? w.worked : w.failed}</span>
      </header>
      <div className="flex flex-col gap-1.5 px-2.5 py-2 font-mono text-11 leading-[18px]">
        {args === '' ? (
          <p className="font-sans text-text-3">{w.noArguments}</p>
        ) : (
          <Wrote text={args} label={w.arguments} />
        )}
        {example.result === '' ? (
          <p className="font-sans text-text-3">{w.noResult}</p>
        ) : (
          <Wrote text={example.result} label={w.result} quiet />
        )}
      </div>
    </article>
  )
}

function Wrote(props: { readonly text: string; readonly label: string; readonly quiet?: boolean }) {
  const { text } = props
  const [most, setMost] = useState(SHOWN)
  const rest = text.length - most
  return (
    <div>
      <span className="sr-only">{props.label}: </span>
      <div
        className={`whitespace-pre-wrap [overflow-wrap:anywhere] [unicode-bidi:isolate] ${props.quiet ? 'text-text-2' : 'text-text'}`}
      >
        {splitPieces(toVisible(rest > 0 ? text.slice(0, most) : text)).map((piece) => (
          <span key={piece.at} className={looks[piece.kind]}>
            {piece.text}
          </span>
        ))}
        {rest > 0 && '…'}
      </div>
      {rest > 0 && (
        <button type="button" className={`font-sans ${linkClass}`} onClick={() => setMost(text.length)}>
          {w.moreText(rest)}
        </button>
      )}
    </div>
  )
}

const looks = {
  text: '',
  removed: 'rounded-tag bg-high px-1 text-stuck',
  cut: 'text-text-3',
}
