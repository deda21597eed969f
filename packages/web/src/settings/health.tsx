import type { HealthCheck } from '@panoptes/schema'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useHasRole } from '../api/me.ts'
import { healthQuery } from '../api/queries.ts'
import { Button } from '../design/button.tsx'
import { CardRow } from '../design/card.tsx'
import { toast } from '../design/toast.tsx'
import { useNow } from '../shell/use-now.ts'
import { words } from '../words.ts'
import { Block, Facts, FoldRow, NextStep, QueryCard } from './block.tsx'
import { checkHealth } from './work.ts'

const w = words.settings.health

export function HealthBlock() {
  const query = useQuery(healthQuery)
  const mayCheck = useHasRole('member')
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
        mayCheck && (
          <Button disabled={again.isPending} onClick={() => again.mutate()}>
            {words.actions.checkAgain}
          </Button>
        )
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
  const items = checks.map(({ id, title, detail }) => ({ id, name: title, detail }))
  return <FoldRow glyph="done" title={w.pass(checks.length)} items={items} />
}
