import type { TurnAnalysis } from '@panoptes/schema'
import { Glyph } from '../../design/glyph.tsx'
import { oneLine } from '../../sessions/visible-text.ts'
import { words } from '../../words.ts'
import { TurnCard } from './card.tsx'
import { Letter } from './reference-letter.tsx'

const w = words.moa.agree
const LONGEST = 160
type Stance = TurnAnalysis['points'][number]['stances'][number]

/** The points on which references agree, disagree or say nothing. */
export function Agree(props: { readonly analysis: TurnAnalysis | null; readonly references: number }) {
  const { analysis, references } = props
  const points = analysis?.points ?? []
  return (
    <TurnCard title={w.title} about="" end={<span className="text-12 text-text-3">{analysis?.says}</span>}>
      <div
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        tabIndex={0}
        className="relative max-h-96 overflow-auto px-3 py-1 outline-offset-[-2px]"
      >
        {points.length === 0 ? (
          <p className="py-1.5 text-12 text-text-3">{analysis === null ? w.unread : w.none}</p>
        ) : (
          <>
            <table className="w-full text-12">
              <thead>
                <tr className="border-b border-line text-11 text-text-3">
                  <th scope="col" className="py-1.5 pr-2 text-left font-normal">
                    {w.point}
                  </th>
                  {Array.from({ length: references }, (_, place) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: a reference is identified by its position
                    <th key={place} scope="col" className="w-8 py-1.5 text-center">
                      <Letter place={place} />
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {points.map(({ text, stances }, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a point is identified by its position
                  <tr key={i} className="border-b border-line last:border-0">
                    <th
                      scope="row"
                      className="min-w-32 py-1.5 pr-2 text-left font-normal [overflow-wrap:anywhere]"
                    >
                      {oneLine(text, LONGEST)}
                    </th>
                    {Array.from({ length: references }, (_, place) => (
                      // biome-ignore lint/suspicious/noArrayIndexKey: a reference is identified by its position
                      <td key={place} className="w-8 py-1.5">
                        <StanceMark stance={stances[place] ?? 'silent'} />
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
            <p aria-hidden="true" className="flex flex-wrap items-center gap-x-3 pt-2 text-11 text-text-3">
              <span className="flex items-center gap-1">
                <Glyph name="done" size={12} /> {w.says}
              </span>
              <span className="flex items-center gap-1">
                <Glyph name="failed" size={12} /> {w.opposes}
              </span>
              <span>· {w.silent}</span>
            </p>
            <p className="py-1.5 text-11 text-text-3">{w.note}</p>
          </>
        )}
      </div>
    </TurnCard>
  )
}

function StanceMark({ stance }: { readonly stance: Stance }) {
  return (
    <span className="flex justify-center">
      {stance === 'silent' ? (
        <span aria-hidden="true" className="text-text-3">
          ·
        </span>
      ) : (
        <Glyph name={stance === 'says' ? 'done' : 'failed'} size={14} />
      )}
      <span className="sr-only">{w[stance]}</span>
    </span>
  )
}
