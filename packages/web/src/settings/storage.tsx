import type { StatusReply } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import { canChangeFiles, useHasRole, useMe } from '../api/me.ts'
import { statusQuery } from '../api/queries.ts'
import { Button } from '../design/button.tsx'
import { CardRow, Figure } from '../design/card.tsx'
import { CopyButton } from '../design/copy-button.tsx'
import type { IconName } from '../design/icon.tsx'
import { Progress, Share } from '../design/progress.tsx'
import * as f from '../format.ts'
import { useStore } from '../store.ts'
import { words } from '../words.ts'
import { Block, QueryCard } from './block.tsx'
import { backupWork, checkWork, rebuildWork, type Work } from './work.ts'

const w = words.settings.storage

export function StorageBlock() {
  const query = useQuery({ ...statusQuery, refetchInterval: 5_000 })
  const me = useMe()
  return (
    <Block id="storage" title={w.title} sub={me === null ? w.sub : w.subTeam}>
      <QueryCard query={query} ghosts={4}>
        {(status) => (
          <>
            <LedgerRow status={status} />
            <RetentionRow status={status} />
            {canChangeFiles(me) && <BackupRow status={status} />}
            <ProjectionsRow />
          </>
        )}
      </QueryCard>
    </Block>
  )
}

function LedgerRow({ status: { storage, now } }: { readonly status: StatusReply }) {
  const limit = storage.retention.max_bytes
  const since = storage.first_ts === null ? null : f.day(storage.first_ts, now)
  return (
    <CardRow
      glyph="done"
      title={w.store}
      detail={
        <>
          <code className="text-11 break-all">{storage.path}</code> · {w.detail(storage.events, since)}
        </>
      }
      end={<CopyButton text={storage.path} label={w.copyPath} iconOnly />}
    >
      <div className="max-w-100 pt-2 pb-1">
        {limit !== null && <Share used={storage.bytes} limit={limit} />}
        <div className="flex justify-between gap-2 pt-1 text-11 text-text-3">
          <span>{w.engine(storage.engine, storage.schema_version)}</span>
          <span>{limit === null ? w.noLimit(storage.bytes) : w.ofLimit(storage.bytes, limit)}</span>
        </div>
      </div>
    </CardRow>
  )
}

function RetentionRow({ status }: { readonly status: StatusReply }) {
  const { max_age_days: days, max_bytes: bytes } = status.storage.retention
  return (
    <CardRow
      title={w.retention}
      detail={`${w.retentionDetail}. ${w.retentionNext(status.command)}`}
      end={
        <span>
          {days === null ? w.keepAll : w.keepDays(days)}
          {bytes !== null && ` · ${w.keepBytes(bytes)}`}
        </span>
      }
    />
  )
}

function BackupRow({ status: { storage, now } }: { readonly status: StatusReply }) {
  const state = useStore(backupWork.state)
  const last = storage.last_backup
  const detail =
    state.phase === 'done' ? (
      <>
        {w.backedUp(state.value.bytes)} · <code className="text-11 break-all">{state.value.path}</code>
      </>
    ) : last === null ? (
      w.backupNever
    ) : (
      <>
        {w.backupLast(words.ago(last.at, now))} · <code className="text-11 break-all">{last.path}</code>
      </>
    )
  return (
    <CardRow
      glyph={
        state.phase === 'failed' ? 'failed' : last === null && state.phase !== 'done' ? 'unknown' : 'done'
      }
      title={w.backup}
      detail={detail}
      end={
        <>
          {last !== null && state.phase !== 'running' && (
            <Figure value={f.bytes(last.bytes)} label={w.backupSize} />
          )}
          <WorkButton work={backupWork} start={w.backupNow} running={w.backingUp} />
        </>
      }
    >
      <Outcome state={state} />
    </CardRow>
  )
}

function ProjectionsRow() {
  const mayCheck = useHasRole('admin')
  const check = useStore(checkWork.state)
  const rebuild = useStore(rebuildWork.state)
  const differ = check.phase === 'done' && check.value.differences > 0 && rebuild.phase !== 'done'
  const detail =
    rebuild.phase === 'done'
      ? w.rebuilt(rebuild.value.rows)
      : check.phase !== 'done'
        ? w.projectionsDetail
        : differ
          ? `${w.differ(check.value.differences)}. ${w.differNext}`
          : w.equal(check.value.rows, check.value.events)
  const isDone = check.phase === 'done' || rebuild.phase === 'done'
  return (
    <CardRow
      {...(differ ? { glyph: 'failed' as const } : isDone ? { glyph: 'done' as const } : {})}
      title={w.projections}
      detail={detail}
      end={
        !mayCheck ? (
          <span className="text-12 text-text-3">{words.team.forRole.admin}</span>
        ) : differ ? (
          <WorkButton work={rebuildWork} start={w.rebuild} running={w.rebuilding} icon="rotate" />
        ) : (
          <WorkButton work={checkWork} start={w.check} running={w.checking} />
        )
      }
    >
      <Outcome state={check} />
      <Outcome state={rebuild} />
    </CardRow>
  )
}

function Outcome({
  state,
}: {
  readonly state: { readonly phase: string; readonly message?: string; readonly next?: string | null }
}) {
  if (state.phase === 'stopped') return <p className="text-12 text-text-3">{w.stopped}</p>
  if (state.phase !== 'failed') return null
  return (
    <p role="alert" className="text-12 text-failed">
      {state.message} {state.next}
    </p>
  )
}

/** The button of a long operation, with its progress and a stop button while it runs. */
function WorkButton<T>({
  work,
  start,
  running,
  icon,
}: {
  readonly work: Work<T>
  readonly start: string
  readonly running: string
  readonly icon?: IconName
}) {
  const state = useStore(work.state)
  if (state.phase !== 'running' || !state.slow)
    return (
      <Button
        {...(icon ? { icon } : {})}
        disabled={state.phase === 'running'}
        onClick={() => void work.start()}
      >
        {start}
      </Button>
    )
  return (
    <>
      <div className="w-40">
        <div className="flex justify-between gap-2 pb-1 text-11 text-text-3">
          <span>{running}</span>
          <span>{state.total > 0 && words.settings.storage.progress(state.done, state.total)}</span>
        </div>
        <Progress label={running} done={state.done} total={state.total} />
      </div>
      <Button kind="quiet" onClick={work.stop}>
        {words.actions.stop}
      </Button>
    </>
  )
}
