import type { TaskType } from '@panoptes/schema'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Strip } from '../../design/strip.tsx'
import { errorText } from '../../sessions/strips.tsx'
import { oneLine } from '../../sessions/visible-text.ts'
import { words } from '../../words.ts'
import { Examples } from '../examples.tsx'
import type { Origin } from '../make-dialog-state.ts'
import { createTemplate, previewQuery, templatesQuery } from '../queries.ts'
import { ExampleSummary } from './example-summary.tsx'
import { Fields } from './fields.tsx'

const w = words.templates.make
const LONGEST = 120
const FIRST_EXAMPLES = 10

/** Previews a template with its name and type. */
export function Preview(props: {
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
            {oneLine(origin.title ?? origin.id, LONGEST)}
          </p>
          <p className="text-11 text-text-3">
            {[origin.project, origin.source]
              .filter((part) => part !== null)
              .map((part) => oneLine(part, LONGEST))
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
        {!data && error === null && <Strip>{w.reading}</Strip>}
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
              <p className="text-12 text-text-2">{w.nothing}</p>
            ) : (
              <Examples examples={examples} removed={data.notes.removed_by_example} />
            )}
          </>
        )}
      </div>
      <div className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-4 py-3">
        {isTaken && refused === null && (
          <p role="status" className="min-w-0 flex-1 text-12 text-stuck">
            {w.taken}
          </p>
        )}
        {refused !== null && (
          <p role="alert" className="min-w-0 flex-1 text-12 text-failed">
            {refused instanceof Error ? errorText(refused) : String(refused)}
          </p>
        )}
        {onBack && (
          <Button kind="quiet" onClick={onBack}>
            {w.back}
          </Button>
        )}
        <Button kind="main" type="submit" disabled={works || examples.length === 0}>
          {works ? w.creating : isTaken ? w.replace : w.create}
        </Button>
      </div>
    </form>
  )
}
