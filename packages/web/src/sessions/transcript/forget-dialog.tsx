import type { ForgotReply, PastSession } from '@panoptes/schema'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { postJson } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { words } from '../../words.ts'
import { pastSessionTitle } from '../session-row.tsx'
import { errorText } from '../strips.tsx'

const w = words.transcript.forget

type Stage =
  | { readonly at: 'asks' | 'works' }
  | { readonly at: 'failed'; readonly why: string }
  | { readonly at: 'done'; readonly forgot: ForgotReply }

/** Asks before a session is deleted for good, and then lists what was removed. */
export default function ForgetDialog(props: {
  readonly session: PastSession
  /** From then on nothing may request the session. */
  readonly onStart: () => void
  readonly onForgotten: () => void
  readonly onClose: () => void
}) {
  const { source, id } = props.session
  const [stage, setStage] = useState<Stage>({ at: 'asks' })
  const client = useQueryClient()
  const forget = async () => {
    setStage({ at: 'works' })
    props.onStart()
    try {
      const forgot = await postJson<ForgotReply>('/api/past/forget', { sessions: [{ source, id }] })
      setStage({ at: 'done', forgot })
      void client.invalidateQueries({ queryKey: ['past'] })
    } catch (error) {
      setStage({ at: 'failed', why: errorText(error) })
    }
  }
  const isDone = stage.at === 'done'
  const close = isDone ? props.onForgotten : props.onClose
  return (
    <Dialog open onClose={close} title={isDone ? w.done : w.title} width="max-w-110">
      <div className="flex flex-col gap-2 px-4 py-3 text-13 text-text-2">
        {isDone ? (
          <Removed forgot={stage.forgot} />
        ) : (
          <>
            <p className="font-medium text-text [overflow-wrap:anywhere]">
              {pastSessionTitle(props.session)}
            </p>
            <p>{w.body}</p>
          </>
        )}
        {stage.at === 'failed' && (
          <p role="alert" className="text-failed">
            {stage.why}
          </p>
        )}
      </div>
      <div className="flex justify-end gap-2 border-t border-line px-4 py-3">
        <Button kind="quiet" onClick={close}>
          {isDone ? words.actions.close : words.actions.cancel}
        </Button>
        {!isDone && (
          <Button kind="main" disabled={stage.at === 'works'} onClick={() => void forget()}>
            {stage.at === 'works' ? w.works : w.confirm}
          </Button>
        )}
      </div>
    </Dialog>
  )
}

function Removed({ forgot }: { readonly forgot: ForgotReply }) {
  const gone = forgot.removed.filter((one) => one.count > 0)
  if (gone.length === 0) return <p>{w.nothing}</p>
  return (
    <>
      <p>{w.removed}</p>
      <ul className="list-disc pl-5">
        {gone.map((one) => (
          <li key={`${one.from} ${one.what}`} className="first-letter:uppercase">
            {w.counted(one.count, one.what, one.from)}
          </li>
        ))}
      </ul>
      <p>{w.stays}</p>
    </>
  )
}
