import type { AgentQuestion, AgentRequest, AnswerRequest } from '@panoptes/schema'
import { type ReactNode, useId, useState } from 'react'
import { useHasRole } from '../../api/me.ts'
import { postJson } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { classes } from '../../design/class-names.ts'
import { Icon } from '../../design/icon.tsx'
import { toast } from '../../design/toast.tsx'
import { words } from '../../words.ts'
import {
  answersAtOnce,
  collectAnswers,
  type Draft,
  NO_DRAFT,
  pick,
  pickedLabels,
  type,
} from '../model/answers.ts'

const w = words.live.panel

/** A waiting request with the buttons that answer it; `children` are placed beside them. */
export function Answer(props: { readonly request: AgentRequest; readonly children: ReactNode }) {
  const { request } = props
  const mayAnswer = useHasRole('member')
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

type PickedAnswers = Readonly<Record<string, readonly string[]>>

/** An agent's questions, with options as buttons and a field for other answers; `children` end the form. */
function QuestionForm(props: {
  readonly questions: readonly AgentQuestion[]
  readonly sent: boolean
  readonly onAnswer: (answers: PickedAnswers) => void
  readonly children: ReactNode
}) {
  const { questions, sent, onAnswer } = props
  const [draft, setDraft] = useState(NO_DRAFT)
  const answers = collectAnswers(questions, draft)
  const atOnce = answersAtOnce(questions)
  const send = (whole: PickedAnswers | null) => {
    if (whole !== null && !sent) onAnswer(whole)
  }
  return (
    <form
      className="flex flex-col gap-3 pt-1"
      onSubmit={(event) => {
        event.preventDefault()
        send(answers)
      }}
    >
      {questions.map((question) => (
        <Question
          key={question.question}
          question={question}
          draft={draft}
          sent={sent}
          toggles={!atOnce}
          onType={(text) => setDraft(type(draft, question, text))}
          onPick={(label) => {
            if (atOnce) send({ [question.question]: [label] })
            else setDraft(pick(draft, question, label))
          }}
        />
      ))}
      <div className="flex flex-wrap gap-2">
        <Button kind={atOnce ? 'plain' : 'main'} type="submit" disabled={sent || answers === null}>
          {w.sendAnswer}
        </Button>
        {props.children}
      </div>
    </form>
  )
}

function Question(props: {
  readonly question: AgentQuestion
  readonly draft: Draft
  readonly sent: boolean
  readonly toggles: boolean
  readonly onPick: (label: string) => void
  readonly onType: (text: string) => void
}) {
  const { question, draft, sent } = props
  const id = useId()
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="pb-1.5 text-12 wrap-anywhere text-text">
        {question.header !== null && (
          <span className="mr-1.5 rounded-tag bg-high px-1.5 text-11 text-text-2">{question.header}</span>
        )}
        {question.question}
        {question.multi_select && <span className="text-11 text-text-3"> {w.several}</span>}
      </legend>
      {question.options.map(({ label, description }) => {
        const on = pickedLabels(draft, question).includes(label)
        return (
          <button
            key={label}
            type="button"
            disabled={sent}
            {...(props.toggles ? { 'aria-pressed': on } : {})}
            className={classes(
              'flex min-h-7 flex-col items-start justify-center rounded-control border px-2.5 py-1 text-left text-12 wrap-anywhere transition-colors disabled:opacity-50 touch:min-h-11',
              on ? 'border-gold bg-high text-text' : 'border-line-strong bg-raised text-text hover:bg-high',
            )}
            onClick={() => props.onPick(label)}
          >
            <span className="flex items-center gap-1.5 font-medium">
              {on && <Icon name="check" size={12} />}
              {label}
            </span>
            {description !== null && <span className="text-11 text-text-2">{description}</span>}
          </button>
        )
      })}
      <label htmlFor={id} className="sr-only">
        {w.ownAnswerTo(question.question)}
      </label>
      <input
        id={id}
        type="text"
        placeholder={w.ownAnswer}
        maxLength={2_000}
        autoComplete="off"
        disabled={sent}
        value={draft.typed[question.question] ?? ''}
        onChange={(event) => props.onType(event.target.value)}
        className="h-7 min-w-0 rounded-control border border-line-strong bg-app px-2.5 text-12 text-text placeholder:text-text-3 touch:h-11"
      />
    </fieldset>
  )
}
