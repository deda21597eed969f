import { memo, useMemo, useState } from 'react'
import { seen } from '../../sessions/plain.ts'
import { words } from '../../words.ts'
import { Blocks } from './blocks.tsx'
import { CodeBlock } from './code-block.tsx'
import { type Piece, piecesOf } from './pieces.ts'
import { tokensOf } from './tokens.ts'

const FIRST = 200_000
const MORE = 100_000

/**
 * What an agent wrote, as Markdown. It becomes elements one by one and never HTML: tags in it are shown as they are written, pictures
 * by their words, and links only where they lead somewhere safe.
 */
export const Markdown = memo(function Markdown(props: {
  readonly text: string
  /** Whether more is coming: a mark stands at the end. */
  readonly isGrowing?: boolean
}) {
  const [most, setMost] = useState(FIRST)
  const rest = props.text.length - most
  const shown = rest > 0 ? props.text.slice(0, most) : props.text
  const pieces = useMemo(() => piecesOf(seen(shown)), [shown])
  return (
    <div className="flex min-w-0 flex-col gap-2 [overflow-wrap:anywhere] [unicode-bidi:isolate]">
      {pieces.map((piece, i) => (
        <PieceBlock
          // biome-ignore lint/suspicious/noArrayIndexKey: a piece is its place
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
    const tokens = useMemo(() => (piece.kind === 'prose' ? tokensOf(piece.text) : null), [piece])
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

/** Where the next word comes. */
export const Caret = () => (
  <span
    aria-hidden="true"
    className="ml-0.5 inline-block h-[15px] w-2 translate-y-0.5 rounded-[1px] bg-gold align-baseline"
  />
)
