import type { AskedQuestion } from '@panoptes/schema'
import { type ReactNode, useId, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { classes } from '../../design/class.ts'
import { Icon } from '../../design/icon.tsx'
import { words } from '../../words.ts'
import { answersAtOnce, answersOf, type Draft, NO_DRAFT, pick, pickedOf, type } from '../model/answers.ts'

const w = words.live.panel

export type Answers = Readonly<Record<string, readonly string[]>>

/** The questions of an agent, with their options as buttons and a field for words of one's own; `children` end the form. */
export function QuestionForm(props: {
  readonly questions: readonly AskedQuestion[]
  readonly sent: boolean
  readonly onAnswer: (answers: Answers) => void
  readonly children: ReactNode
}) {
  const { questions, sent, onAnswer } = props
  const [draft, setDraft] = useState(NO_DRAFT)
  const answers = answersOf(questions, draft)
  const atOnce = answersAtOnce(questions)
  const send = (whole: Answers | null) => {
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
      {questions.map((asked) => (
        <Question
          key={asked.question}
          asked={asked}
          draft={draft}
          sent={sent}
          toggles={!atOnce}
          onType={(text) => setDraft(type(draft, asked, text))}
          onPick={(label) => {
            if (atOnce) send({ [asked.question]: [label] })
            else setDraft(pick(draft, asked, label))
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
  readonly asked: AskedQuestion
  readonly draft: Draft
  readonly sent: boolean
  readonly toggles: boolean
  readonly onPick: (label: string) => void
  readonly onType: (text: string) => void
}) {
  const { asked, draft, sent } = props
  const id = useId()
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="pb-1.5 text-12 wrap-anywhere text-text">
        {asked.header !== null && (
          <span className="mr-1.5 rounded-tag bg-high px-1.5 text-11 text-text-2">{asked.header}</span>
        )}
        {asked.question}
        {asked.multi_select && <span className="text-11 text-text-3"> {w.several}</span>}
      </legend>
      {asked.options.map(({ label, description }) => {
        const on = pickedOf(draft, asked).includes(label)
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
        {w.ownAnswerTo(asked.question)}
      </label>
      <input
        id={id}
        type="text"
        placeholder={w.ownAnswer}
        maxLength={2_000}
        autoComplete="off"
        disabled={sent}
        value={draft.typed[asked.question] ?? ''}
        onChange={(event) => props.onType(event.target.value)}
        className="h-7 min-w-0 rounded-control border border-line-strong bg-app px-2.5 text-12 text-text placeholder:text-text-3 touch:h-11"
      />
    </fieldset>
  )
}
