import type { OutlineReply, PastSession } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useHasRole } from '../../api/me.ts'
import { Button } from '../../design/button.tsx'
import { KeyCap } from '../../design/key-cap.tsx'
import * as f from '../../format.ts'
import { toSessionKey } from '../../live/data/agent-key.ts'
import { words } from '../../words.ts'
import { outsideText, tokenText } from '../cost.ts'
import { CostSteps } from './cost-steps.tsx'

const w = words.transcript
const t = w.tokens

interface FactsProps {
  readonly session: PastSession
  readonly outline: OutlineReply | undefined
  readonly current: number | null
  readonly onGo: (n: number) => void
  readonly onForget: (session: PastSession) => void
  readonly children?: ReactNode
}

/** The costs of a session by step and in total, with its tags and note. */
export function Facts(props: FactsProps) {
  const { session, outline } = props
  const mayForget = useHasRole('admin')
  return (
    <div className="flex flex-col divide-y divide-line">
      {!session.prompts_only && <Spending {...props} />}
      {props.children}
      <Group title={w.session}>
        <dl className="flex flex-col gap-1.5 text-12">
          <Fact name={words.sessions.columns.messages} value={f.count(session.messages)} />
          <Fact name={words.sessions.columns.tools} value={f.count(session.tool_calls)} />
          <Fact name={words.sessions.columns.errors} value={f.count(session.errors)} />
          <Fact name={w.agents} value={f.count(Math.max(1, outline?.agents.length ?? 1))} />
        </dl>
        <Parent session={session} />
        <p className="pt-2 text-11 text-text-3">{w.place}</p>
        <p className="text-11 break-all text-text-2">{toVisibleLine(session.place, 400)}</p>
        {mayForget && (
          <Button className="mt-3" onClick={() => props.onForget(session)}>
            {w.forget.action}
          </Button>
        )}
      </Group>
      <Group title={w.keysTitle}>
        <ul className="flex flex-col gap-1.5 text-11 text-text-2 touch:hidden">
          {KEYS.map(([keys, what]) => (
            <li key={what} className="flex items-center gap-1">
              {keys.map((key) => (
                <KeyCap key={key}>{key}</KeyCap>
              ))}
              <span className="pl-1">{what}</span>
            </li>
          ))}
        </ul>
      </Group>
    </div>
  )
}

/** What the session cost, by step and by kind of token. */
function Spending({
  session,
  outline,
  current,
  onGo,
}: Pick<FactsProps, 'session' | 'outline' | 'current' | 'onGo'>) {
  const { spent } = session
  return (
    <>
      <Group title={w.steps.title}>
        <CostSteps outline={outline} session={session} current={current} onGo={onGo} />
        <Outside micro={session.outside_micro_usd ?? null} />
      </Group>
      <Group title={t.title}>
        <dl className="flex flex-col gap-1.5 text-12">
          {(['input', 'cache_read', 'cache_write', 'output'] as const).map((name) => (
            <Fact key={name} name={t[name]} value={tokenText(spent, spent[name])} />
          ))}
          {/* Most clients do not report reasoning tokens separately, so a 0 would mislead. */}
          {spent.reasoning > 0 && <Fact name={t.reasoning} value={f.shortCount(spent.reasoning)} />}
          <Fact
            name={t.unknown}
            value={spent.usage_unknown === 0 ? t.none : t.replies(spent.usage_unknown)}
          />
        </dl>
      </Group>
    </>
  )
}

/** Spending outside the transcript, which belongs to no step. */
const Outside = ({ micro }: { readonly micro: number | null }) => (
  <p className="pt-1 text-11 text-text-3" title={micro === null ? w.steps.outsideWhy : w.steps.outsideHint}>
    {micro === null ? w.steps.outsideUnknown : w.steps.outside(outsideText(micro))}
  </p>
)

const KEYS: readonly (readonly [readonly string[], string])[] = [
  [['j', 'k'], w.keyStep],
  [['o'], w.keyFold],
  [['O'], w.keyFoldAll],
  [['e'], w.keyError],
  [['c'], w.keyCopy],
  [['g'], w.keyLive],
]

export function Group(props: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="px-4 py-3">
      <h3 className="pb-2 text-11 font-semibold text-text-3">{props.title}</h3>
      {props.children}
    </section>
  )
}

/** The session that this one continues or was created by. */
function Parent({ session: { source, parent_id: parent, lineage } }: { readonly session: PastSession }) {
  if (parent === null || lineage === 'root') return null
  return (
    <p className="pt-2 text-11 text-text-3">
      <Link
        to="/sessions"
        search={{ session: toSessionKey({ source, session_id: parent }) }}
        className="text-gold-text hover:underline"
      >
        {w.lineage[lineage]}
      </Link>
    </p>
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
