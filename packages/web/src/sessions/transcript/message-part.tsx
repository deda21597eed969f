import { memo } from 'react'
import { classes } from '../../design/class-names.ts'
import { words } from '../../words.ts'
import { oneLine } from '../visible-text.ts'
import { CallBlock } from './call.tsx'
import { Fold } from './fold.tsx'
import { Image } from './image.tsx'
import { useReading } from './reading-context.ts'
import { Text } from './text.tsx'
import type { Entry, Part } from './thread.ts'
import type { Piece } from './turns.ts'

const w = words.transcript
const NAME = 60
const quiet = 'rounded-control border border-line text-text-3'

/** A part of a message; the first part carries the id of the message. */
export const PieceBlock = memo(function PieceBlock({ piece }: { readonly piece: Piece }) {
  const { entry, first } = piece
  const { target, current } = useReading()
  const { state, hidden } = entry.message
  const folded = state === 'summary' ? w.summary : hidden ? w.hidden : null
  if (folded !== null && !first) return null
  const isMarked = entry.n === (current ?? target)
  return (
    <div
      {...(first ? { id: `message-${entry.n}`, 'data-entry': entry.n, tabIndex: -1 } : {})}
      aria-current={isMarked && first ? 'true' : undefined}
      className={classes(
        'min-w-0 scroll-my-2 outline-none',
        isMarked && 'shadow-[-6px_0_0_var(--surface),-8px_0_0_var(--gold)]',
      )}
    >
      {folded === null ? (
        <PartBlock entry={entry} part={piece.part} />
      ) : (
        <Folded entry={entry} name={folded} />
      )}
    </div>
  )
})

function Folded({ entry, name }: { readonly entry: Entry; readonly name: string }) {
  const { target } = useReading()
  return (
    <Fold
      id={`message-${entry.n}`}
      of={entry.n}
      open={entry.n === target}
      className={quiet}
      head={<span className="text-text-2">{name}</span>}
    >
      {() => (
        <div className="flex flex-col gap-2 border-t border-line p-2.5">
          {entry.parts.map((part, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a part is identified by its position
            <PartBlock key={i} entry={entry} part={part} />
          ))}
        </div>
      )}
    </Fold>
  )
}

function PartBlock({ entry, part }: { readonly entry: Entry; readonly part: Part }) {
  if (part.kind === 'call') return <CallBlock call={part} message={entry.message} />
  const { block } = part
  if (block.type === 'text') return <Text text={block.text} leftOut={block.left_out} rest={part} />
  if (block.type === 'image') return <Image picture={block} rest={part} />
  if (block.type === 'tool_call') return null
  const head = block.type === 'reasoning' ? w.thinking : w.outputLabel(oneLine(block.id, NAME))
  return (
    <Fold
      id={`part-${part.n}-${part.at}`}
      of={entry.n}
      className="text-text-3"
      headClass="px-0! min-h-5! text-11!"
      head={<span className="truncate">{head}</span>}
    >
      {() => (
        <div className="border-l-2 border-line py-1 pl-3 text-text-2">
          {block.text === '' ? (
            w.thinkingMissing
          ) : (
            <Text mono text={block.text} leftOut={block.left_out} rest={part} />
          )}
        </div>
      )}
    </Fold>
  )
}
