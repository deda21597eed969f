import type { FlaggedAgent, LedgerOverview } from '@panoptes/schema'
import { toVisible, toVisibleLine } from '@panoptes/schema/shown'
import type { UseQueryResult } from '@tanstack/react-query'
import { Glyph } from '../../design/glyph.tsx'
import { agentName } from '../../live/model/names.ts'
import { words } from '../../words.ts'
import { Block, moreClass, None } from '../block.tsx'
import { evidencePlace } from '../evidence.ts'
import { PlaceLink } from '../place-link.tsx'
import { type LedgerSearch, toTab } from '../search-params.ts'

const w = words.ledger.flagged
const FEW = 4
const LONGEST = 80

/** Agents whose transcript contradicts what they say, each with the evidence. */
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
            {words.ledger.allOfThem}
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
  const name = agentName({ id: agent.agent_id, parent_id: null, subagent_type: agent.subagent_type })
  return (
    <li className="flex items-start gap-2 py-1.5 text-12">
      <span className="pt-0.5">
        <Glyph name="failed" size={14} />
      </span>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-semibold">
          {toVisibleLine(name, LONGEST)}
          {agent.project !== null && (
            <span className="pl-1.5 font-normal text-text-3">{toVisibleLine(agent.project, LONGEST)}</span>
          )}
        </span>
        {agent.flags.map((flag) => (
          <PlaceLink
            key={`${flag.kind} ${flag.says}`}
            place={evidencePlace(flag.evidence, agent.last_at)}
            className="block text-text-2 hover:text-text hover:underline touch:py-3"
            title={flag.evidence.quote === null ? undefined : toVisible(flag.evidence.quote)}
          >
            {toVisible(flag.says)}
          </PlaceLink>
        ))}
      </span>
    </li>
  )
}
