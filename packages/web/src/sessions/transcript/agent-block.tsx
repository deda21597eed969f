import { useContext } from 'react'
import { Glyph } from '../../design/glyph.tsx'
import { ModelPips } from '../../design/model-pips.tsx'
import { familyOf, nameOf } from '../../live/model/names.ts'
import { words } from '../../words.ts'
import { oneLine } from '../plain.ts'
import { EntryBlock } from './entry.tsx'
import { Fold } from './fold.tsx'
import { Reading } from './reading.ts'
import { callsOf, entriesOf, type Thread } from './thread.ts'

const w = words.transcript
const LINE = 120

/** A sub-agent under the call that made it, folded to a line until it is opened. */
export function AgentBlock({ thread }: { readonly thread: Thread }) {
  const { target } = useContext(Reading)
  const { agent, entries } = thread
  const calls = callsOf(thread)
  const failed = calls.filter((call) => call.result?.ok === false).length
  const model = entries.find((entry) => entry.message.model !== null)?.message.model ?? null
  const holdsTarget = target !== null && [...entriesOf(thread)].some((entry) => entry.n === target)
  return (
    <Fold
      key={holdsTarget ? 'target' : 'plain'}
      open={holdsTarget}
      failed={failed > 0}
      className="rounded-control border border-dashed border-line-strong"
      head={
        <>
          <ModelPips model={familyOf(model)} size={12} />
          <span className="font-semibold">{oneLine(nameOf(agent), LINE)}</span>
          <span className="min-w-0 flex-1 truncate text-text-2">
            {[agent.description, w.agent, words.sessions.toolCalls(calls.length)]
              .filter((part) => part !== null)
              .map((part) => oneLine(part, LINE))
              .join(' · ')}
          </span>
          {failed > 0 && (
            <span className="flex items-center gap-1 text-failed">
              <Glyph name="failed" size={12} />
              {words.sessions.errors(failed)}
            </span>
          )}
        </>
      }
    >
      {() => <AgentBody thread={thread} />}
    </Fold>
  )
}

function AgentBody({ thread }: { readonly thread: Thread }) {
  const { more, readOn } = useContext(Reading)
  return (
    <div className="ml-3 border-l-2 border-line-strong py-1 pr-2 pl-3">
      {thread.entries.length === 0 && (
        <p className="py-1 text-12 text-text-3">
          {more ? w.agentUnread : w.agentEmpty}{' '}
          {more && (
            <button type="button" className="text-gold-text hover:underline" onClick={readOn}>
              {w.readOn}
            </button>
          )}
        </p>
      )}
      <ThreadEntries thread={thread} />
    </div>
  )
}

/** What one agent said, and after it the agents whose call is not known. */
export function ThreadEntries({ thread }: { readonly thread: Thread }) {
  return (
    <>
      {thread.entries.map((entry) => (
        <EntryBlock key={entry.n} entry={entry} agent={thread.agent} />
      ))}
      {thread.loose.length > 0 && (
        <div className="flex flex-col gap-2 py-2">
          <p className="text-11 text-text-3">{w.loose}</p>
          {thread.loose.map((loose) => (
            <AgentBlock key={loose.agent.id} thread={loose} />
          ))}
        </div>
      )}
    </>
  )
}
