import type { PastSession, SessionAgent } from '@panoptes/schema'
import type { ReactNode } from 'react'
import { KeyCap } from '../../design/key-cap.tsx'
import * as f from '../../format.ts'
import { words } from '../../words.ts'
import { oneLine } from '../plain.ts'

const w = words.transcript
const t = w.tokens

/** What a session took, beside its transcript. */
export function Facts(props: { readonly session: PastSession; readonly agents: readonly SessionAgent[] }) {
  const { session, agents } = props
  const { spent } = session
  return (
    <aside
      aria-label={w.facts}
      className="hidden w-51 shrink-0 flex-col divide-y divide-line overflow-y-auto border-l border-line wide:flex"
    >
      <Group title={t.title}>
        {(['input', 'cache_read', 'cache_write', 'output', 'reasoning'] as const).map((name) => (
          <Fact key={name} name={t[name]} value={f.shortCount(spent[name])} />
        ))}
        <Fact name={t.unknown} value={t.replies(spent.usage_unknown)} />
      </Group>
      <Group title={w.session}>
        <Fact name={words.sessions.columns.messages} value={f.count(session.messages)} />
        <Fact name={words.sessions.columns.tools} value={f.count(session.tool_calls)} />
        <Fact name={words.sessions.columns.errors} value={f.count(session.errors)} />
        <Fact name={w.agents} value={f.count(Math.max(1, agents.length))} />
      </Group>
      <section className="p-4">
        <h3 className="pb-2 text-11 font-medium text-text-3">{w.place}</h3>
        <p className="text-11 break-all text-text-2">{oneLine(session.place, 400)}</p>
      </section>
      <section className="p-4">
        <h3 className="pb-2 text-11 font-medium text-text-3">{w.keysTitle}</h3>
        <ul className="flex flex-col gap-1.5 text-11 text-text-2">
          {KEYS.map(([keys, what]) => (
            <li key={what} className="flex items-center gap-1">
              {keys.map((key) => (
                <KeyCap key={key}>{key}</KeyCap>
              ))}
              <span className="pl-1">{what}</span>
            </li>
          ))}
        </ul>
      </section>
    </aside>
  )
}

const KEYS: readonly (readonly [readonly string[], string])[] = [
  [['j', 'k'], w.keyStep],
  [['O'], w.keyFold],
  [['e'], w.keyError],
  [['c'], w.keyCopy],
  [['g'], w.keyLive],
]

function Group(props: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="p-4">
      <h3 className="pb-2 text-11 font-medium text-text-3">{props.title}</h3>
      <dl className="flex flex-col gap-1.5 text-12">{props.children}</dl>
    </section>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="flex justify-between gap-2">
      <dt className="text-text-2 first-letter:uppercase">{name}</dt>
      <dd className="font-semibold">{value}</dd>
    </div>
  )
}
