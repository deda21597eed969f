import type { HealthCheck } from '@panoptes/schema'
import { useMutation, useQuery } from '@tanstack/react-query'
import { healthQuery } from '../api/queries.ts'
import { Button } from '../design/button.tsx'
import { CardRow } from '../design/card.tsx'
import { Glyph } from '../design/glyph.tsx'
import { Icon } from '../design/icon.tsx'
import { toast } from '../design/toast.tsx'
import { useNow } from '../shell/use-now.ts'
import { words } from '../words.ts'
import { Block, QueryCard } from './block.tsx'
import { checkHealth } from './check-health.ts'
import { Facts, NextStep } from './facts.tsx'

const w = words.settings.health

export function HealthBlock() {
  const query = useQuery(healthQuery)
  const now = useNow()
  const again = useMutation({
    mutationFn: checkHealth,
    onError: (error) => toast({ text: error.message, tone: 'failed' }),
  })
  const checked = query.data === undefined ? {} : { sub: w.checked(words.ago(query.data.checked_at, now)) }
  return (
    <Block
      id="health"
      title={w.title}
      {...checked}
      end={
        <Button disabled={again.isPending} onClick={() => again.mutate()}>
          {words.actions.checkAgain}
        </Button>
      }
    >
      <QueryCard query={query} ghosts={2}>
        {({ checks }) => (
          <>
            {checks
              .filter((check) => check.state !== 'ok')
              .map((check) => (
                <TroubleRow key={check.id} check={check} />
              ))}
            <PassedRow checks={checks.filter((check) => check.state === 'ok')} />
          </>
        )}
      </QueryCard>
    </Block>
  )
}

function TroubleRow({ check }: { readonly check: HealthCheck }) {
  const failed = check.state === 'failed'
  const rows = [
    ...(check.cause === null ? [] : [[w.cause, <NextStep key="cause" text={check.cause} />] as const]),
    ...(check.next === null ? [] : [[w.next, <NextStep key="next" text={check.next} />] as const]),
  ]
  return (
    <CardRow
      glyph={failed ? 'failed' : 'stuck'}
      title={check.title}
      detail={check.detail}
      end={<span className={failed ? 'text-failed' : 'text-stuck'}>{failed ? w.failed : w.warning}</span>}
    >
      {rows.length > 0 && <Facts rows={rows} />}
    </CardRow>
  )
}

function PassedRow({ checks }: { readonly checks: readonly HealthCheck[] }) {
  if (checks.length === 0) return null
  return (
    <details className="group">
      <summary className="flex cursor-pointer list-none items-center gap-3 px-3 py-2.5 -outline-offset-2 hover:bg-high touch:min-h-11">
        <span className="flex w-4 shrink-0 desk:mx-0.5">
          <Glyph name="done" />
        </span>
        <span className="shrink-0 font-semibold">{w.pass(checks.length)}</span>
        <span className="min-w-0 flex-1 truncate text-12 text-text-3 group-open:invisible">
          {checks.map((check) => check.title.toLowerCase()).join(', ')}
        </span>
        <span className="text-text-3 transition-transform group-open:rotate-90">
          <Icon name="right" />
        </span>
      </summary>
      <dl className="flex flex-col gap-1 px-3 pb-3 text-12">
        {checks.map((check) => (
          <div key={check.id} className="flex gap-3 pl-7 desk:pl-8">
            <dt className="w-40 shrink-0 text-text-2">{check.title}</dt>
            <dd className="min-w-0 break-words text-text-3">{check.detail}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
