import type { IndexStatus } from '@panoptes/schema'
import { sum } from '@panoptes/schema/numbers'
import { toVisible } from '@panoptes/schema/shown'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useHasRole } from '../api/me.ts'
import { isOfBanner, postJson, RequestFailure } from '../api/request.ts'
import { Button, buttonClass } from '../design/button.tsx'
import { Progress } from '../design/progress.tsx'
import { Strip } from '../design/strip.tsx'
import { Strips } from '../shell/connection-strips.tsx'
import { words } from '../words.ts'
import { indexStatusQuery } from './queries.ts'

const w = words.sessions

/** Shows the progress and failures of the index above the list. */
export function SessionStrips(props: { readonly failure: Error | null; readonly onRetry: () => void }) {
  const status = useQuery(indexStatusQuery).data ?? []
  const running = status.filter((one) => one.state === 'running' && one.total > 0)
  const paused = status.filter((one) => one.state === 'paused')
  const done = sum(running.map((one) => one.done))
  const total = sum(running.map((one) => one.total))
  useFreshList(done)
  return (
    <Strips what={w.listWord} reading={false}>
      {total > 0 && (
        <Strip
          end={
            <>
              <Bar done={done} total={total} />
              <PauseButton paused />
            </>
          }
        >
          {w.reading(Math.min(done, total), total)}. {w.readingNext}
        </Strip>
      )}
      {paused.length > 0 && (
        <Strip end={<PauseButton paused={false} />}>
          {w.paused(sum(paused.map((one) => one.done)), sum(paused.map((one) => one.total)))}
        </Strip>
      )}
      {status.map(
        ({ source, problem }) =>
          problem !== null && (
            <Strip
              key={source}
              alert
              glyph="failed"
              end={
                <Link to="/settings" hash="health" className={buttonClass()}>
                  {w.health}
                </Link>
              }
            >
              {w.readFailed(source, problem)} {w.readFailedNext}
            </Strip>
          ),
      )}
      {props.failure !== null && !isOfBanner(props.failure) && (
        <Strip alert glyph="failed" end={<Button onClick={props.onRetry}>{words.actions.tryAgain}</Button>}>
          {w.loadFailed} {errorText(props.failure)}
        </Strip>
      )}
    </Strips>
  )
}

/** Pauses or resumes indexing. */
function PauseButton({ paused }: { readonly paused: boolean }) {
  const client = useQueryClient()
  const mayOrder = useHasRole('member')
  const order = async () => {
    const status = await postJson<readonly IndexStatus[]>('/api/past/status', { paused })
    client.setQueryData(indexStatusQuery.queryKey, status)
  }
  if (!mayOrder) return null
  return <Button onClick={() => void order()}>{paused ? w.pause : w.goOn}</Button>
}

function Bar(props: { readonly done: number; readonly total: number }) {
  return (
    <div className="w-40">
      <Progress label={w.reading(props.done, props.total)} done={props.done} total={props.total} />
    </div>
  )
}

/** Fetches the list again when the index has read more sessions. */
function useFreshList(done: number): void {
  const client = useQueryClient()
  useEffect(() => {
    if (done >= 0) void client.invalidateQueries({ queryKey: ['past'] })
  }, [client, done])
}

/** The message of a failure and what to do about it, safe to show. */
export const errorText = (error: unknown): string =>
  error instanceof Error
    ? toVisible(
        error instanceof RequestFailure && error.next !== null
          ? `${error.message} ${error.next}`
          : error.message,
      )
    : String(error)
