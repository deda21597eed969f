import type { ScanStatus } from '@panoptes/schema'
import { ActionMenu } from '../design/action-menu.tsx'
import { Button } from '../design/button.tsx'
import { Progress } from '../design/progress.tsx'
import { words } from '../words.ts'
import { SORTS, type Sort } from './search-params.ts'

const w = words.achievements

/** The actions on the list: sort, share card, rescan. */
export function Toolbar(props: {
  readonly status: ScanStatus | undefined
  /** The shown numbers are complete and only new sessions are being read. */
  readonly refreshes: boolean
  readonly sort: Sort
  readonly onSort: (sort: Sort) => void
  readonly onShare: (() => void) | undefined
  /** Missing if the person may not start a scan. */
  readonly onRescan: ((full: boolean) => void) | undefined
  readonly onReset: (() => void) | undefined
}) {
  const { status, sort, onRescan, onReset } = props
  const runs = status?.state === 'running'
  return (
    <>
      {runs && props.refreshes && <Refreshing progress={status.progress} />}
      <ActionMenu
        key={sort}
        label={w.sort.shown(w.sort[sort])}
        groups={[
          SORTS.map((one) => ({
            label: w.sort[one],
            ...(one === sort && { icon: 'check' as const }),
            run: () => props.onSort(one),
          })),
        ]}
      />
      {props.onShare && (
        <Button className="max-desk:hidden" onClick={props.onShare}>
          {w.actions.share}
        </Button>
      )}
      {onRescan && (
        <>
          <Button icon="rotate" disabled={runs} onClick={() => onRescan(false)}>
            {w.actions.rescan}
          </Button>
          <ActionMenu
            label={w.actions.more}
            groups={[
              [{ label: w.actions.full, icon: 'rotate', run: () => onRescan(true) }],
              ...(onReset ? [[{ label: w.actions.reset, icon: 'close' as const, run: onReset }]] : []),
            ]}
          />
        </>
      )}
    </>
  )
}

function Refreshing({ progress }: { readonly progress: ScanStatus['progress'] }) {
  const { done, total } = progress ?? { done: 0, total: 0 }
  return (
    <div role="status" className="flex items-center gap-2 text-11 text-text-2">
      {w.refreshing}
      {total > 0 && (
        <>
          <div className="w-20">
            <Progress label={w.reading(done, total)} done={done} total={total} />
          </div>
          <span>{w.refreshed(Math.min(done, total), total)}</span>
        </>
      )}
    </div>
  )
}
