import type { AgentRequest, AnswerRequest } from '@panoptes/schema'
import { type ReactNode, useState } from 'react'
import { useMay } from '../../api/me.ts'
import { postJson } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { toast } from '../../design/toast.tsx'
import { words } from '../../words.ts'
import { QuestionForm } from './question-form.tsx'

const w = words.live.panel

/** A waiting request with the buttons that answer it; `children` are placed beside them. */
export function Answer(props: { readonly request: AgentRequest; readonly children: ReactNode }) {
  const { request } = props
  const mayAnswer = useMay('member')
  const [isSent, setSent] = useState(false)
  const sent = isSent || !mayAnswer
  const answer = async (reply: Omit<AnswerRequest, 'request_id'>, message: string) => {
    setSent(true)
    const path = `/api/agents/${encodeURIComponent(request.session_id)}/${encodeURIComponent(request.agent_id)}/answer`
    try {
      await postJson(path, { request_id: request.request_id, ...reply })
      toast({ text: message })
    } catch (error) {
      setSent(false)
      toast({ text: error instanceof Error ? error.message : String(error), tone: 'failed' })
    }
  }
  const beside = (
    <>
      {props.children}
      {!mayAnswer && <p className="w-full text-11 text-text-3">{words.team.mayAnswer}</p>}
    </>
  )
  const deny = () => void answer({ choice: 'deny' }, w.denied)
  if (request.questions.length > 0) {
    return (
      <QuestionForm
        questions={request.questions}
        sent={sent}
        onAnswer={(answers) => {
          const copy = Object.fromEntries(
            Object.entries(answers).map(([question, labels]) => [question, [...labels]]),
          )
          void answer({ choice: 'allow', answers: copy }, w.answered)
        }}
      >
        <Button disabled={sent} onClick={deny}>
          {w.decline}
        </Button>
        {beside}
      </QuestionForm>
    )
  }
  return (
    <>
      <p className="pt-1 text-12 wrap-anywhere text-text-2">
        {w.asksTo(request.tool ?? '')}
        {request.input_preview !== null && (
          <>
            {' '}
            <code className="text-11 text-text">{request.input_preview}</code>
          </>
        )}
      </p>
      <div className="flex flex-wrap gap-2 pt-2.5">
        {request.choices.includes('allow') && (
          <Button kind="main" disabled={sent} onClick={() => void answer({ choice: 'allow' }, w.allowed)}>
            {w.allow}
          </Button>
        )}
        {request.choices.includes('deny') && (
          <Button disabled={sent} onClick={deny}>
            {w.deny}
          </Button>
        )}
        {beside}
      </div>
    </>
  )
}
