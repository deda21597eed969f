import type { FoundSource } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import { sourcesQuery } from '../api/queries.ts'
import { Glyph } from '../design/glyph.tsx'
import { NothingYet } from '../design/nothing-yet.tsx'
import { words } from '../words.ts'

const w = words.sessions.empty
const glyphs = { found: 'done', absent: 'unknown', unreadable: 'failed' } as const

/** Shows where Panoptes looked for sessions and what it found there. */
export function NoSessions() {
  const { data } = useQuery(sourcesQuery)
  const agents = data?.sources.filter((source) => source.kind === 'agent') ?? []
  return (
    <NothingYet title={w.title} sources={w.sources}>
      <p className="text-text-2">{w.body}</p>
      <ul aria-label={w.looked} className="flex flex-col gap-2 text-12">
        {agents.map((source) => (
          <li key={source.id} className="grid grid-cols-[16px_110px_minmax(0,1fr)] items-start gap-x-2">
            <Glyph name={glyphs[source.state]} size={14} />
            <span>{source.name}</span>
            <span className="text-text-2 [overflow-wrap:anywhere]">{sourceText(source)}</span>
          </li>
        ))}
      </ul>
      <p className="text-text-2">{w.next}</p>
    </NothingYet>
  )
}

const sourceText = ({ state, path, detail, next }: FoundSource): string =>
  [state === 'found' ? path : detail, state === 'unreadable' ? next : null]
    .filter((part) => part !== null)
    .join(' · ')
