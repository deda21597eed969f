import { toVisible } from '@panoptes/schema/shown'
import { lexer, type Token } from 'marked'
import { memo, useMemo, useState } from 'react'
import { words } from '../../words.ts'
import { Blocks } from './blocks.tsx'
import { CodeBlock } from './code-block.tsx'

const FIRST = 200_000
const MORE = 100_000

/**
 * Renders an agent's Markdown as elements, never as HTML: tags are shown as text, images as their alt
 * text, and links only if they lead somewhere safe.
 */
export const Markdown = memo(function Markdown(props: {
  readonly text: string
  /** Whether more text is coming; a cursor then marks the end. */
  readonly isGrowing?: boolean
}) {
  const [most, setMost] = useState(FIRST)
  const rest = props.text.length - most
  const shown = rest > 0 ? props.text.slice(0, most) : props.text
  const pieces = useMemo(() => splitPieces(toVisible(shown)), [shown])
  return (
    <div className="flex min-w-0 flex-col gap-2 [overflow-wrap:anywhere] [unicode-bidi:isolate]">
      {pieces.map((piece, i) => (
        <PieceBlock
          // biome-ignore lint/suspicious/noArrayIndexKey: a piece is identified by its position
          key={i}
          piece={piece}
          isLast={props.isGrowing === true && i === pieces.length - 1}
        />
      ))}
      {props.isGrowing && pieces.at(-1)?.kind !== 'prose' && <Caret />}
      {rest > 0 && (
        <button
          type="button"
          className="self-start text-12 text-gold-text hover:underline touch:h-11"
          onClick={() => setMost(most + MORE)}
        >
          {words.transcript.showMore(Math.min(rest, MORE))}
        </button>
      )}
    </div>
  )
})

const PieceBlock = memo(
  function PieceBlock({ piece, isLast }: { readonly piece: Piece; readonly isLast: boolean }) {
    const tokens = useMemo(() => (piece.kind === 'prose' ? parseTokens(piece.text) : null), [piece])
    if (piece.kind === 'code') return <CodeBlock language={piece.language} text={piece.text} />
    if (tokens === null)
      return (
        <p className="whitespace-pre-wrap">
          {piece.text}
          {isLast && <Caret />}
        </p>
      )
    return <Blocks tokens={tokens} end={isLast ? <Caret /> : null} />
  },
  (before, now) =>
    before.isLast === now.isLast &&
    before.piece.kind === now.piece.kind &&
    before.piece.text === now.piece.text &&
    (before.piece.kind === 'prose' ||
      (now.piece.kind === 'code' && before.piece.language === now.piece.language)),
)

/** Marks where the next word will appear. */
export const Caret = () => (
  <span
    aria-hidden="true"
    className="ml-0.5 inline-block h-[15px] w-2 translate-y-0.5 rounded-[1px] bg-gold align-baseline"
  />
)

/** Beyond these limits a part is shown as plain text: hostile input could cost far more than its length each time a word arrives. */
const LONGEST = 8_000
const MOST_MARKS = 1_000
const MARK = /[*_~!`<[\]]/g
const DEEP = /^(?: {0,3}(?:>|(?:[-*+]|\d{1,9}[.)])(?= )) ?){12}/m

/** Parses a part of a text; null if it is to be shown as plain text. */
export function parseTokens(text: string): readonly Token[] | null {
  if (text.length > LONGEST || DEEP.test(text) || countMarks(text) > MOST_MARKS) return null
  try {
    return lexer(text, { gfm: true, breaks: true })
  } catch {
    return null
  }
}

const countMarks = (text: string): number => text.match(MARK)?.length ?? 0

/** An independent part of a text: Markdown or a code block. */
type Piece =
  | { readonly kind: 'prose'; readonly text: string }
  | {
      readonly kind: 'code'
      readonly language: string
      readonly text: string
      /** Whether the closing fence has arrived. */
      readonly isClosed: boolean
    }

/** A list longer than this is split between its items. */
const LONG = 4_000
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/
const ITEM = /^(?:[-*+]|\d{1,9}[.)])\s/

/**
 * Splits a text where a blank line or a code block ends a part for good. While the text grows, all parts but
 * the last stay the same, so only the last is parsed again. It runs in linear time.
 */
export function splitPieces(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  let lines: string[] = []
  let length = 0
  let isList = false
  let isAfterBlank = false
  let fence: { readonly mark: string; readonly language: string } | null = null
  const close = () => {
    if (lines.some((line) => line.trim() !== '')) pieces.push({ kind: 'prose', text: lines.join('\n') })
    lines = []
    length = 0
  }
  for (const line of text.split('\n')) {
    const mark = FENCE.exec(line)
    if (fence !== null) {
      if (mark && isClosingFence(fence.mark, mark)) {
        pieces.push({ kind: 'code', language: fence.language, text: lines.join('\n'), isClosed: true })
        lines = []
        length = 0
        isAfterBlank = true
        fence = null
      } else lines.push(line)
      continue
    }
    if (mark && opens(mark)) {
      close()
      fence = { mark: mark[1] ?? '', language: (mark[2] ?? '').trim().split(/\s/, 1)[0] ?? '' }
      continue
    }
    const isItem = ITEM.test(line)
    const isNew = isAfterBlank && line !== '' && !/^\s/.test(line) && !(isItem && isList)
    if (lines.length > 0 && (isNew || (isItem && isList && length > LONG))) close()
    if (lines.length === 0) isList = isItem
    lines.push(line)
    length += line.length + 1
    isAfterBlank = line.trim() === ''
  }
  if (fence !== null)
    pieces.push({ kind: 'code', language: fence.language, text: lines.join('\n'), isClosed: false })
  else close()
  return pieces
}

/** The info string after backticks must not contain backticks itself. */
const opens = ([, mark = '', rest = '']: RegExpExecArray): boolean =>
  mark.startsWith('~') || !rest.includes('`')

const isClosingFence = (open: string, [, mark = '', rest = '']: RegExpExecArray): boolean =>
  mark[0] === open[0] && mark.length >= open.length && rest.trim() === ''
