import type { Agent } from '@panoptes/schema'
import { Link } from '@tanstack/react-router'
import { agentConversation } from '../../chat/agent-conversation.ts'
import { Glyph } from '../../design/glyph.tsx'
import { Tag } from '../../design/tag.tsx'
import { words } from '../../words.ts'
import { toSessionKey } from '../data/agent-key.ts'
import { lastClaim, skillLabel } from '../model/markers.ts'

const w = words.live.markers

/** The last skill, the last claim and the follow-ups of an agent. */
export function Markers({ agent }: { readonly agent: Agent }) {
  const skill = skillLabel(agent)
  const claim = lastClaim(agent)
  const left = agent.follow_ups ?? 0
  if (skill === null && claim === null && left === 0) return null
  return (
    <section className="px-4 py-3">
      <h3 className="pb-1.5 text-11 font-semibold text-text-3">{w.title}</h3>
      <ul className="flex flex-col gap-1.5 text-12">
        {skill !== null && (
          <li className="flex min-w-0 items-center gap-2">
            <Glyph name={skill.glyph} size={13} />
            <span className="min-w-0 truncate" title={agent.skill?.name}>
              {skill.text}
            </span>
            <span className="ml-auto shrink-0 text-text-3">{w.went(agent.skill?.success ?? null)}</span>
          </li>
        )}
        {claim !== null && (
          <li className="flex min-w-0 items-center gap-2">
            <ClaimTag tier={claim.tier} value={claim.value} />
            {claim.more > 0 && <span className="ml-auto shrink-0 text-text-3">{w.more(claim.more)}</span>}
          </li>
        )}
        {left > 0 && <li className="text-text-2">{w.followUps(left)}</li>}
      </ul>
    </section>
  )
}

/** A claim, with its tier in a box. */
const ClaimTag = (props: { readonly tier: string; readonly value: string }) => (
  <span className="flex min-w-0 items-center gap-1.5">
    <Tag>{props.tier}</Tag>
    <span className="truncate" title={props.value}>
      {w.quote(props.value)}
    </span>
  </span>
)

export const LedgerLink = ({ agent }: { readonly agent: Agent }) => (
  <div className="flex items-center justify-between px-4 py-3 text-12 text-text-3">
    <span>{w.ledger}</span>
    <Link
      to="/ledger"
      search={{ tab: 'agents', session: toSessionKey(agent), days: 'all' }}
      className="text-text-2 hover:text-text hover:underline"
    >
      {w.openLedger}
    </Link>
  </div>
)

/** Links the conversation in which the agent can be answered. */
export const ChatLink = ({ agent }: { readonly agent: Agent }) => {
  const conversation = agentConversation(agent)
  if (conversation === null) return null
  return (
    <div className="flex items-center justify-between px-4 py-3 text-12 text-text-3">
      <span>{words.nav.chat}</span>
      <Link to="/chat" search={{ c: conversation }} className="text-text-2 hover:text-text hover:underline">
        {words.chat.open}
      </Link>
    </div>
  )
}
