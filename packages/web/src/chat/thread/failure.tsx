import { ActionMenu } from '../../design/action-menu.tsx'
import { Button } from '../../design/button.tsx'
import { Glyph } from '../../design/glyph.tsx'
import { words } from '../../words.ts'
import { isReady, runtimeTitle } from '../runtimes.ts'
import { ServerText } from '../server-text.tsx'
import type { AnswerRow } from '../state/rows.ts'
import type { AnswerActions } from './answer.tsx'

const w = words.chat.thread

/** Says why an answer is missing or incomplete and what the person can do. */
export function Failure(props: {
  readonly row: AnswerRow
  readonly error: { readonly code: string; readonly message: string }
  readonly actions: AnswerActions
}) {
  const { row, error, actions } = props
  const title = (w.errors as Readonly<Record<string, string>>)[error.code] ?? w.noAnswer
  const next = (w.errorsNext as Readonly<Record<string, string>>)[error.code]
  const others = actions.runtimes.filter((one) => one.id !== row.message.runtime && isReady(one))
  const { to } = row
  return (
    <div
      role="alert"
      className="flex max-w-160 flex-col gap-2 rounded-control border border-failed/60 bg-raised px-3 py-2.5"
    >
      <p className="flex items-center gap-2 font-semibold text-failed">
        <Glyph name="failed" size={14} />
        {title}
      </p>
      {error.message !== '' && (
        <p className="text-12 wrap-anywhere text-text-2">
          <ServerText text={error.message.slice(0, 2_000)} />
        </p>
      )}
      {next !== undefined && row.isLast && actions.mayTell && <p className="text-12 text-text-2">{next}</p>}
      {to !== null && row.isLast && actions.mayTell && (
        <div className="flex flex-wrap gap-2">
          <Button icon="rotate" disabled={actions.isBusy} onClick={() => actions.onRetry(to, null)}>
            {w.retry}
          </Button>
          {others.length > 0 && !actions.isBusy && (
            <ActionMenu
              label={w.otherRuntime}
              groups={[
                others.map((one) => ({
                  label: runtimeTitle(actions.runtimes, one.id),
                  note: words.chat.side.states[one.state],
                  run: () => actions.onRetry(to, one.id),
                })),
              ]}
            />
          )}
        </div>
      )}
    </div>
  )
}
