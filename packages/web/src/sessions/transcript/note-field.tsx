import { clamp } from '@panoptes/schema/numbers'
import { useEffect, useRef, useState } from 'react'
import { words } from '../../words.ts'

const w = words.transcript.marks
const LONGEST = 20_000
const RESTS_MS = 800

/** A note that is saved when typing pauses or the field loses the focus. */
export function NoteField(props: { readonly note: string; readonly onChange: (note: string) => void }) {
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
      aria-label={w.note}
      placeholder={w.noteHint}
      value={typed}
      maxLength={LONGEST}
      rows={clamp(typed.split('\n').length, 2, 8)}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={keep}
      className="w-full resize-y rounded-chip border border-line bg-transparent px-2 py-1 text-12 text-text placeholder:text-text-3"
    />
  )
}
