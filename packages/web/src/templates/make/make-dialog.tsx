import type { TaskType, TemplatePreview } from '@panoptes/schema'
import { clamp } from '@panoptes/schema/numbers'
import { toVisibleLine } from '@panoptes/schema/shown'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { WordsField } from '../../design/search-field.tsx'
import { Strip } from '../../design/strip.tsx'
import { Tag } from '../../design/tag.tsx'
import { toast } from '../../design/toast.tsx'
import { pastSessionsQuery } from '../../sessions/queries.ts'
import { errorText } from '../../sessions/strips.tsx'
import { useHits } from '../../sessions/use-hits.ts'
import { useStore } from '../../store.ts'
import { words } from '../../words.ts'
import { Examples } from '../examples.tsx'
import { closeMaking, makeDialog, type Origin } from '../make-dialog-state.ts'
import { createTemplate, previewQuery, templatesQuery } from '../queries.ts'
import { buildChoices, type Choice } from './choices.ts'
import { Fields } from './fields.tsx'

const w = words.templates
const LONGEST = 120
const FIRST_EXAMPLES = 10
/** Enough sessions to fill the list. */
const FULL = 20

/** Creates a template from a session: choose the session, preview the template, then create it. */
export default function MakeDialog() {
  const initialOrigin = useStore(makeDialog)?.origin ?? null
  const [chosen, setChosen] = useState<Origin | null>(null)
  const navigate = useNavigate()
  const origin = chosen ?? initialOrigin
  const show = (name: string) => void navigate({ to: '/templates', search: { name } })
  const done = (name: string) => {
    closeMaking()
    const isHere = location.pathname === '/templates'
    if (isHere) show(name)
    toast({
      text: w.make.created(name),
      ...(isHere ? {} : { act: { label: w.actions.show, run: () => show(name) } }),
    })
  }
  return (
    <Dialog open onClose={closeMaking} title={w.make.title} width="max-w-170">
      {origin === null ? (
        <PickSession onPick={setChosen} />
      ) : (
        <Preview
          key={`${origin.source} ${origin.id}`}
          origin={origin}
          onBack={initialOrigin === null ? () => setChosen(null) : undefined}
          onDone={done}
        />
      )}
    </Dialog>
  )
}

/** What a template would keep of a session, and what it leaves out. */
function ExampleSummary({ preview }: { readonly preview: TemplatePreview }) {
  const { notes, calls, failed, unanswered } = preview
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <span className="mr-1 font-semibold">{w.make.keeps(preview.template.examples.length, calls)}</span>
      <Tag>{w.make.looked(preview.turns)}</Tag>
      <Tag>{w.make.failedCalls(failed)}</Tag>
      <Tag>{w.make.unanswered(unanswered)}</Tag>
      {notes.left_out > 0 && <Tag>{w.examples.leftOut(notes.left_out)}</Tag>}
      {notes.secrets_removed > 0 ? (
        <Tag tone="stuck">{w.examples.removed(notes.secrets_removed)}</Tag>
      ) : (
        <Tag>{w.make.clean}</Tag>
      )}
    </div>
  )
}

/** Previews a template with its name and type. */
function Preview(props: {
  readonly origin: Origin
  /** Returns to the choice of a session, if there was one. */
  readonly onBack: (() => void) | undefined
  readonly onDone: (name: string) => void
}) {
  const { origin, onBack, onDone } = props
  const [name, setName] = useState('')
  const [type, setType] = useState<TaskType | undefined>()
  const [most, setMost] = useState(FIRST_EXAMPLES)
  const [works, setWorks] = useState(false)
  const [refused, setRefused] = useState<unknown>(null)
  const input = {
    source: origin.source,
    session_id: origin.id,
    max_examples: most,
    ...(type === undefined ? {} : { type }),
  }
  const { data, error, refetch } = useQuery({ ...previewQuery(input), placeholderData: keepPreviousData })
  const examples = data?.template.examples ?? []
  // An empty name uses the suggested one.
  const called = name.trim() === '' ? data?.template.name : name.trim()
  const ours = useQuery(templatesQuery).data?.templates.filter(({ place }) => place === 'panoptes')
  const isTaken = ours?.some((one) => one.name === called) ?? false
  const create = async (event: FormEvent) => {
    event.preventDefault()
    if (called === undefined) return
    setWorks(true)
    setRefused(null)
    try {
      const made = await createTemplate({ ...input, name: called, force: isTaken })
      onDone(made.template.name)
    } catch (failure) {
      setRefused(failure)
      setWorks(false)
    }
  }
  return (
    <form className="flex min-h-0 flex-col" onSubmit={(event) => void create(event)}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <div tabIndex={0} className="flex min-h-0 flex-col gap-3 overflow-y-auto px-4 py-3">
        <div>
          <p className="font-medium [overflow-wrap:anywhere]">
            {toVisibleLine(origin.title ?? origin.id, LONGEST)}
          </p>
          <p className="text-11 text-text-3">
            {[origin.project, origin.source]
              .filter((part) => part !== null)
              .map((part) => toVisibleLine(part, LONGEST))
              .join(' · ')}
          </p>
        </div>
        {error !== null && (
          <Strip
            alert
            glyph="failed"
            end={<Button onClick={() => void refetch()}>{words.actions.tryAgain}</Button>}
          >
            {errorText(error)}
          </Strip>
        )}
        {!data && error === null && <Strip>{w.make.reading}</Strip>}
        {data && (
          <>
            <ExampleSummary preview={data} />
            <Fields
              preview={data}
              name={name}
              type={type}
              most={most}
              onName={(next) => {
                setName(next)
                setRefused(null)
              }}
              onType={setType}
              onMost={setMost}
            />
            {examples.length === 0 ? (
              <p className="text-12 text-text-2">{w.make.nothing}</p>
            ) : (
              <Examples examples={examples} removed={data.notes.removed_by_example} />
            )}
          </>
        )}
      </div>
      <div className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-4 py-3">
        {isTaken && refused === null && (
          <p role="status" className="min-w-0 flex-1 text-12 text-stuck">
            {w.make.taken}
          </p>
        )}
        {refused !== null && (
          <p role="alert" className="min-w-0 flex-1 text-12 text-failed">
            {errorText(refused)}
          </p>
        )}
        {onBack && (
          <Button kind="quiet" onClick={onBack}>
            {w.make.back}
          </Button>
        )}
        <Button kind="main" type="submit" disabled={works || examples.length === 0}>
          {works ? w.make.creating : isTaken ? w.make.replace : w.make.create}
        </Button>
      </div>
    </form>
  )
}

/** Lists the newest sessions, or those that match the typed words. */
function PickSession({ onPick }: { readonly onPick: (origin: Origin) => void }) {
  const [q, setQ] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const sessions = useInfiniteQuery(pastSessionsQuery(''))
  const { hits, error } = useHits(q.trim(), '')
  const pastSessions = useMemo(() => sessions.data?.pages.flat() ?? [], [sessions.data])
  const choices = useMemo(() => buildChoices(pastSessions, hits ?? [], q), [pastSessions, hits, q])
  const { hasNextPage, isFetching, fetchNextPage } = sessions
  // The newest sessions may have no tool calls, so more pages are loaded until the list is full.
  const isShort = q.trim() === '' && choices.length < FULL && hasNextPage
  useEffect(() => {
    if (isShort && !isFetching) void fetchNextPage()
  }, [isShort, isFetching, fetchNextPage])
  const failure = sessions.error ?? error
  const isReading = sessions.isPending || isShort || (q.trim() !== '' && hits === undefined && error === null)
  return (
    <>
      <div className="flex flex-col gap-2 px-4 pt-3 pb-2">
        <p className="text-12 text-text-2">{w.make.choose}</p>
        <WordsField
          label={w.make.search}
          text={q}
          input={input}
          onChange={(text) => setQ(text ?? '')}
          onDone={() => list.current?.querySelector('button')?.focus()}
          end=""
          className="flex-none basis-auto"
        />
      </div>
      {failure !== null && (
        <Strip alert glyph="failed">
          {w.make.failed} {errorText(failure)}
        </Strip>
      )}
      {failure === null && choices.length === 0 && (
        <Strip>{isReading ? w.make.searching : q.trim() === '' ? w.make.empty : w.make.none}</Strip>
      )}
      <ul
        ref={list}
        aria-label={w.make.list}
        onKeyDown={moveFocus}
        className="min-h-0 flex-1 overflow-y-auto px-2 pb-2"
      >
        {choices.map((choice) => (
          <li key={`${choice.source} ${choice.id}`}>
            <ChoiceRow choice={choice} onPick={onPick} />
          </li>
        ))}
      </ul>
    </>
  )
}

function ChoiceRow({ choice, onPick }: { readonly choice: Choice; readonly onPick: (one: Origin) => void }) {
  return (
    <button
      type="button"
      className="flex w-full items-center gap-3 rounded-control px-2 py-1 text-left hover:bg-high focus-visible:bg-high focus-visible:-outline-offset-2 touch:min-h-11"
      onClick={() => onPick(choice)}
    >
      <span className="min-w-0 flex-1">
        <span className="block truncate text-12 font-medium">
          {toVisibleLine(choice.title ?? choice.id, LONGEST)}
        </span>
        <span className="block truncate text-11 text-text-3">
          {[choice.project, choice.source]
            .filter((part) => part !== null)
            .map((part) => toVisibleLine(part, LONGEST))
            .join(' · ')}
        </span>
      </span>
      {choice.calls !== null && (
        <span className="text-11 whitespace-nowrap text-text-2">
          {words.sessions.toolCalls(choice.calls)}
        </span>
      )}
      {choice.at !== null && (
        <span className="w-18 text-right text-11 whitespace-nowrap text-text-3">
          {words.ago(choice.at, Date.now())}
        </span>
      )}
    </button>
  )
}

function moveFocus(event: KeyboardEvent<HTMLUListElement>): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (by === undefined) return
  const buttons = [...event.currentTarget.querySelectorAll('button')]
  const at = buttons.findIndex((one) => one.matches(':focus'))
  buttons[clamp(at + by, 0, buttons.length - 1)]?.focus()
  event.preventDefault()
}
