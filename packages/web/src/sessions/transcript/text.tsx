import type { ContentBlock } from '@panoptes/schema'
import { toVisible } from '@panoptes/schema/shown'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useContext, useState } from 'react'
import { classes } from '../../design/class-names.ts'
import { words } from '../../words.ts'
import { errorText } from '../strips.tsx'
import { wholeQuery } from './pages.ts'
import { useReading } from './reading-context.ts'
import { findMarks, MarkedWords } from './search-highlights.ts'
import type { StoredBlock } from './thread.ts'

const w = words.transcript
const FIRST = 4_000
const MORE = 50_000
export const linkClass = 'text-12 text-gold-text hover:underline touch:h-11'

interface TextProps {
  readonly text: string
  /** The number of characters that the server left out. */
  readonly leftOut?: unknown
  readonly rest: RestOfBlock
  readonly mono?: boolean
}

/**
 * Text of a person or a program. It is never rendered as markup, and only the beginning of a long one is
 * shown.
 */
export function Text(props: TextProps) {
  const leftOut = typeof props.leftOut === 'number' ? props.leftOut : 0
  return leftOut > 0 ? <CutText {...props} leftOut={leftOut} /> : <WholeText {...props} />
}

/** A text of which the server sent only the beginning; the rest loads on demand. */
function CutText(props: TextProps & { readonly leftOut: number }) {
  const { block, isReading, error, read } = useRest(props.rest)
  if (block && 'text' in block && typeof block.text === 'string')
    return <WholeText text={block.text} mono={props.mono} begun={props.text.length} />
  return (
    <WholeText text={props.text} mono={props.mono}>
      {error && <p className="text-12 text-failed">{errorText(error)}</p>}
      <button type="button" className={linkClass} disabled={isReading} onClick={read}>
        {isReading ? w.readingRest : w.readRest(props.leftOut)}
      </button>
    </WholeText>
  )
}

function WholeText(props: {
  readonly text: string
  readonly mono?: boolean | undefined
  /** How much of it was shown before. */
  readonly begun?: number
  readonly children?: ReactNode
}) {
  const { text, mono = false } = props
  const [most, setMost] = useState((props.begun ?? 0) + FIRST)
  const rest = text.length - most
  return (
    <div className={classes('[unicode-bidi:isolate]', mono && 'text-12')}>
      <div
        className={classes(
          'whitespace-pre-wrap [overflow-wrap:anywhere]',
          mono && 'font-mono text-11 leading-[17px] text-text-2',
        )}
      >
        <Highlighted text={toVisible(rest > 0 ? text.slice(0, most) : text)} />
        {rest > 0 && '…'}
      </div>
      {rest > 0 ? (
        <button type="button" className={linkClass} onClick={() => setMost(most + MORE)}>
          {w.showMore(Math.min(rest, MORE))}
        </button>
      ) : (
        props.children
      )}
    </div>
  )
}

/** A text with the search words highlighted. */
export function Highlighted({ text }: { readonly text: string }) {
  const marks = findMarks(text, useContext(MarkedWords))
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

export type RestOfBlock = Pick<StoredBlock, 'n' | 'at'>

interface RestState {
  readonly block: ContentBlock | undefined
  readonly isReading: boolean
  readonly error: Error | null
  readonly read: () => void
}

/** Loads on demand what a page leaves out of a long block. */
export function useRest(rest: RestOfBlock): RestState {
  const [isWanted, setWanted] = useState(false)
  const { ref } = useReading()
  const { data, isFetching, error, refetch } = useQuery({ ...wholeQuery(ref, rest.n), enabled: isWanted })
  return {
    block: data?.content[rest.at],
    isReading: isFetching,
    error,
    read: () => (isWanted ? void refetch() : setWanted(true)),
  }
}
