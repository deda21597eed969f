import type { FlaggedAgent, LedgerOverview } from '@panoptes/schema'
import type { UseQueryResult } from '@tanstack/react-query'
import { Glyph } from '../../design/glyph.tsx'
import { nameOf } from '../../live/model/names.ts'
import { oneLine, seen } from '../../sessions/plain.ts'
import { words } from '../../words.ts'
import { Block, None } from '../block.tsx'
import { placeOf } from '../evidence.ts'
import { PlaceLink } from '../place-link.tsx'
import { type LedgerSearch, toTab } from '../search.ts'
import { moreClass } from './more.ts'

const w = words.ledger.flagged
const FEW = 4
const LONGEST = 80

/** Agents whose words their own transcript does not bear out, each with what shows it. */
export function FlaggedCard(props: {
  readonly query: UseQueryResult<LedgerOverview>
  readonly search: LedgerSearch
}) {
  const all = props.query.data?.flagged.length ?? 0
  const place = { to: '/ledger', search: { ...toTab(props.search, 'agents'), flagged: true } } as const
  return (
    <Block
      title={w.title}
      query={props.query}
      end={
        all > FEW && (
          <PlaceLink place={place} className={moreClass}>
            {words.ledger.all(all)}
          </PlaceLink>
        )
      }
    >
      {({ flagged }) =>
        flagged.length === 0 ? (
          <None>{w.none}</None>
        ) : (
          <ul className="divide-y divide-line border-t border-line">
            {flagged.slice(0, FEW).map((agent) => (
              <Row key={`${agent.source} ${agent.session_id} ${agent.agent_id}`} agent={agent} />
            ))}
          </ul>
        )
      }
    </Block>
  )
}

function Row({ agent }: { readonly agent: FlaggedAgent }) {
  const name = nameOf({ id: agent.agent_id, parent_id: null, subagent_type: agent.subagent_type })
  return (
    <li className="flex items-start gap-2 py-1.5 text-12">
      <span className="pt-0.5">
        <Glyph name="failed" size={14} />
      </span>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-semibold">
          {oneLine(name, LONGEST)}
          {agent.project !== null && (
            <span className="pl-1.5 font-normal text-text-3">{oneLine(agent.project, LONGEST)}</span>
          )}
        </span>
        {agent.flags.map((flag) => (
          <PlaceLink
            key={`${flag.kind} ${flag.says}`}
            place={placeOf(flag.evidence, agent.last_at)}
            className="block text-text-2 hover:text-text hover:underline"
            title={flag.evidence.quote === null ? undefined : seen(flag.evidence.quote)}
          >
            {seen(flag.says)}
          </PlaceLink>
        ))}
      </span>
    </li>
  )
}
