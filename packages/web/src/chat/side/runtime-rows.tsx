import type { RuntimeHealth } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import { Glyph } from '../../design/glyph.tsx'
import { seen } from '../../sessions/plain.ts'
import { saidBy } from '../../sessions/strips.tsx'
import { words } from '../../words.ts'
import { runtimesQuery } from '../queries.ts'
import { glyphOf, isReady, titleIn } from '../runtimes.ts'
import { toTell } from '../to-tell.ts'
import { useIsCutOff } from '../use-cut-off.ts'
import { Section } from './section.tsx'

const w = words.chat.side

/** Who can answer; of the others, what is missing. */
export function RuntimeRows(props: {
  readonly runtimes: readonly RuntimeHealth[]
  readonly answering: string | null
}) {
  const { runtimes, answering } = props
  const error = toTell(useQuery(runtimesQuery).error, useIsCutOff())
  return (
    <Section title={w.runtimes}>
      {error !== null && (
        <p className="text-11 text-failed">
          {w.runtimesFailed} {saidBy(error)}
        </p>
      )}
      <ul>
        {runtimes.map((one) => (
          <li key={one.id} className="py-0.5">
            <div className="flex min-h-5.5 items-center gap-2 text-12">
              <Glyph name={one.id === answering ? 'working' : glyphOf(one)} size={14} />
              <span className="min-w-0 flex-1 truncate">{titleIn(runtimes, one.id)}</span>
              <span className="text-11 text-text-3">
                {one.id === answering ? w.answering : w.over(w.states[one.state], one.transport)}
              </span>
            </div>
            {!isReady(one) && one.detail !== '' && (
              <p className="pl-5.5 text-11 wrap-anywhere text-text-3">{seen(one.detail)}</p>
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}
