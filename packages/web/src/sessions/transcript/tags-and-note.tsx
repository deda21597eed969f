import type { MarksInput, PastSession, SessionMarks } from '@panoptes/schema'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useMay } from '../../api/me.ts'
import { putJson } from '../../api/request.ts'
import { toast } from '../../design/toast.tsx'
import { words } from '../../words.ts'
import { errorText } from '../strips.tsx'
import { seen } from '../visible-text.ts'
import { Group } from './facts.tsx'
import { NoteField } from './note-field.tsx'
import { type SessionRef, sessionPath } from './pages.ts'
import { TagField } from './tag-field.tsx'

const w = words.transcript.marks

/** The tags and the note of a session. */
export function TagsAndNote({ session }: { readonly session: PastSession }) {
  const { marks, save } = useMarks(session)
  if (!useMay('member')) return <Read marks={marks} />
  return (
    <>
      <Group title={w.tags}>
        <TagField tags={marks.tags} onChange={(tags) => save({ tags })} />
      </Group>
      <Group title={w.note}>
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
        <Group title={w.tags}>
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
        <Group title={w.note}>
          <p className="text-12 wrap-anywhere whitespace-pre-wrap">{seen(marks.note)}</p>
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
      toast({ text: error instanceof Error ? errorText(error) : w.failed, tone: 'failed' })
    }
  }
  return { marks, save: (change: MarksInput) => void save(change) }
}
