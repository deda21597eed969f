import type { MarksInput, OutlineReply, PastSession, SessionMarks } from '@panoptes/schema'
import { clamp } from '@panoptes/schema/numbers'
import { toVisible } from '@panoptes/schema/shown'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { useHasRole } from '../../api/me.ts'
import { putJson } from '../../api/request.ts'
import { IconButton } from '../../design/button.tsx'
import { Icon } from '../../design/icon.tsx'
import { SidePanel } from '../../design/side-panel.tsx'
import { toast } from '../../design/toast.tsx'
import { useMedia } from '../../shell/use-media.ts'
import { words } from '../../words.ts'
import { tagsQuery } from '../queries.ts'
import { errorText } from '../strips.tsx'
import { Facts, Group } from './facts.tsx'
import { type SessionRef, sessionPath } from './pages.ts'

const w = words.transcript
const LONGEST = 20_000
const RESTS_MS = 800
const LONGEST_TAG = 64

/** The costs of the session: a column if there is room, else a panel over the transcript on request. */
export function FactsPanel(props: {
  readonly session: PastSession
  readonly outline: OutlineReply | undefined
  readonly current: number | null
  readonly shown: boolean
  readonly onGo: (n: number) => void
  readonly onForget: (session: PastSession) => void
  readonly onClose: () => void
}) {
  const isWide = useMedia('(width >= 1281px)')
  const facts = (
    <Facts
      session={props.session}
      outline={props.outline}
      current={props.current}
      onGo={props.onGo}
      onForget={props.onForget}
    >
      <TagsAndNote session={props.session} />
    </Facts>
  )
  if (isWide)
    return (
      <aside aria-label={w.facts} className="w-51 shrink-0 overflow-y-auto border-l border-line">
        {facts}
      </aside>
    )
  if (!props.shown) return null
  return (
    <SidePanel size="slim" label={w.facts}>
      <div className="flex items-center justify-between px-4 py-2">
        <h2 className="text-13 font-semibold">{w.facts}</h2>
        <IconButton icon="close" kind="quiet" label={w.close} onClick={props.onClose} />
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">{facts}</div>
    </SidePanel>
  )
}

/** The tags and the note of a session. */
function TagsAndNote({ session }: { readonly session: PastSession }) {
  const { marks, save } = useMarks(session)
  if (!useHasRole('member')) return <Read marks={marks} />
  return (
    <>
      <Group title={w.marks.tags}>
        <TagField tags={marks.tags} onChange={(tags) => save({ tags })} />
      </Group>
      <Group title={w.marks.note}>
        <NoteField note={marks.note ?? ''} onChange={(note) => save({ note })} />
      </Group>
    </>
  )
}

/** Shows existing tags and notes to people who may not change them. */
function Read({ marks }: { readonly marks: Pick<SessionMarks, 'tags' | 'note'> }) {
  return (
    <>
      {marks.tags.length > 0 && (
        <Group title={w.marks.tags}>
          <ul className="flex flex-wrap gap-1">
            {marks.tags.map((tag) => (
              <li key={tag} className="max-w-full truncate rounded-tag bg-high px-1.5 text-11 text-text-2">
                {tag}
              </li>
            ))}
          </ul>
        </Group>
      )}
      {marks.note !== null && marks.note !== '' && (
        <Group title={w.marks.note}>
          <p className="text-12 wrap-anywhere whitespace-pre-wrap">{toVisible(marks.note)}</p>
        </Group>
      )}
    </>
  )
}

/** The tags and note as last saved. A change shows at once and is reverted if saving fails. */
function useMarks(session: PastSession) {
  const client = useQueryClient()
  const [own, setOwn] = useState<Pick<SessionMarks, 'tags' | 'note'> | null>(null)
  const { source, id } = session
  const storedMarks = JSON.stringify([session.tags, session.note])
  const before = useRef(storedMarks)
  useEffect(() => {
    if (before.current === storedMarks) return
    before.current = storedMarks
    setOwn(null)
  }, [storedMarks])
  const marks = own ?? session
  const save = async (change: MarksInput) => {
    setOwn({ tags: change.tags ?? marks.tags, note: change.note === undefined ? marks.note : change.note })
    try {
      const ref: SessionRef = { source, id }
      setOwn(await putJson<SessionMarks>(`${sessionPath(ref)}/marks`, change))
      void client.invalidateQueries({ queryKey: ['past'] })
    } catch (error) {
      setOwn(marks)
      toast({ text: error instanceof Error ? errorText(error) : w.marks.failed, tone: 'failed' })
    }
  }
  return { marks, save: (change: MarksInput) => void save(change) }
}

/** A note that is saved when typing pauses or the field loses the focus. */
function NoteField(props: { readonly note: string; readonly onChange: (note: string) => void }) {
  const { note, onChange } = props
  const [typed, setTyped] = useState(note)
  const current = useRef({ typed, note, onChange })
  current.current = { typed, note, onChange }
  useEffect(() => setTyped(note), [note])
  useEffect(() => {
    if (typed === current.current.note) return
    const timer = setTimeout(() => current.current.onChange(typed), RESTS_MS)
    return () => clearTimeout(timer)
  }, [typed])
  const keep = () => {
    if (current.current.typed !== current.current.note) current.current.onChange(current.current.typed)
  }
  return (
    <textarea
      aria-label={w.marks.note}
      placeholder={w.marks.noteHint}
      value={typed}
      maxLength={LONGEST}
      rows={clamp(typed.split('\n').length, 2, 8)}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={keep}
      className="w-full resize-y rounded-chip border border-line bg-transparent px-2 py-1 text-12 text-text placeholder:text-text-3"
    />
  )
}

/** Tags with buttons to remove them, and a field to add one. */
function TagField(props: { readonly tags: readonly string[]; readonly onChange: (tags: string[]) => void }) {
  const { tags, onChange } = props
  const [typed, setTyped] = useState('')
  const allTags = useQuery(tagsQuery).data ?? []
  const list = useId()
  const add = (event: FormEvent) => {
    event.preventDefault()
    const tag = typed.trim()
    setTyped('')
    if (tag !== '' && !tags.includes(tag)) onChange([...tags, tag])
  }
  return (
    <form onSubmit={add} className="flex flex-wrap gap-1">
      {tags.map((tag) => (
        <span
          key={tag}
          className="flex h-5.5 max-w-full items-center gap-1 rounded-tag bg-high pl-1.5 text-11 text-text-2 touch:h-11"
        >
          <span className="truncate">{tag}</span>
          <button
            type="button"
            aria-label={w.marks.remove(tag)}
            title={w.marks.remove(tag)}
            className="flex h-full w-5 items-center justify-center rounded-tag text-text-3 hover:text-text touch:w-11"
            onClick={() => onChange(tags.filter((other) => other !== tag))}
          >
            <Icon name="close" size={10} />
          </button>
        </span>
      ))}
      <input
        aria-label={w.marks.add}
        placeholder={w.marks.add}
        list={list}
        value={typed}
        maxLength={LONGEST_TAG}
        onChange={(event) => setTyped(event.target.value)}
        className="h-5.5 min-w-18 flex-1 rounded-tag border border-line bg-transparent px-1.5 text-11 text-text placeholder:text-text-3 touch:h-11"
      />
      <datalist id={list}>
        {allTags
          .filter(({ tag }) => !tags.includes(tag))
          .map(({ tag }) => (
            <option key={tag} value={tag} />
          ))}
      </datalist>
    </form>
  )
}
