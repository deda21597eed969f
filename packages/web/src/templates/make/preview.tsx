import type { TaskType } from '@panoptes/schema'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Strip } from '../../design/strip.tsx'
import { oneLine } from '../../sessions/plain.ts'
import { saidBy } from '../../sessions/strips.tsx'
import { words } from '../../words.ts'
import { Examples } from '../examples.tsx'
import type { Origin } from '../making.ts'
import { createTemplate, previewQuery, templatesQuery } from '../queries.ts'
import { Fields } from './fields.tsx'
import { Kept } from './kept.tsx'

const w = words.templates.make
const LONGEST = 120
const FIRST_EXAMPLES = 10

/** What would be kept of a session, under which name and type. */
export function Preview(props: {
  readonly origin: Origin
  /** Back to the choice of a session, where there was one. */
  readonly onBack: (() => void) | undefined
  readonly onDone: (name: string) => void
}) {
  const { origin, onBack, onDone } = props
  const [name, setName] = useState('')
  const [type, setType] = useState<TaskType | undefined>()
  const [most, setMost] = useState(FIRST_EXAMPLES)
  const [works, setWorks] = useState(false)
  const [refused, setRefused] = useState<unknown>(null)
  const asked = {
    source: origin.source,
    session_id: origin.id,
    max_examples: most,
    ...(type === undefined ? {} : { type }),
  }
  const { data, error, refetch } = useQuery({ ...previewQuery(asked), placeholderData: keepPreviousData })
  const kept = data?.template.examples ?? []
  // Under the name that was shown, where none was given.
  const called = name.trim() === '' ? data?.template.name : name.trim()
  const ours = useQuery(templatesQuery).data?.templates.filter(({ place }) => place === 'panoptes')
  const isTaken = ours?.some((one) => one.name === called) ?? false
  const create = async (event: FormEvent) => {
    event.preventDefault()
    if (called === undefined) return
    setWorks(true)
    setRefused(null)
    try {
      const made = await createTemplate({ ...asked, name: called, force: isTaken })
      onDone(made.template.name)
    } catch (failure) {
      setRefused(failure)
      setWorks(false)
    }
  }
  return (
    <form className="flex min-h-0 flex-col" onSubmit={(event) => void create(event)}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by key */}
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
            {saidBy(error)}
          </Strip>
        )}
        {!data && error === null && <Strip>{w.reading}</Strip>}
        {data && (
          <>
            <Kept preview={data} />
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
            {kept.length === 0 ? (
              <p className="text-12 text-text-2">{w.nothing}</p>
            ) : (
              <Examples examples={kept} removed={data.notes.removed_by_example} />
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
            {refused instanceof Error ? saidBy(refused) : String(refused)}
          </p>
        )}
        {onBack && (
          <Button kind="quiet" onClick={onBack}>
            {w.back}
          </Button>
        )}
        <Button kind="main" type="submit" disabled={works || kept.length === 0}>
          {works ? w.creating : isTaken ? w.replace : w.create}
        </Button>
      </div>
    </form>
  )
}
