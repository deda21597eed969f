import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { Icon } from '../../design/icon.tsx'
import { words } from '../../words.ts'
import { tagsQuery } from '../queries.ts'

const w = words.transcript.marks
const LONGEST = 64

/** Tags with buttons to remove them, and a field to add one. */
export function TagField(props: {
  readonly tags: readonly string[]
  readonly onChange: (tags: string[]) => void
}) {
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
            aria-label={w.remove(tag)}
            title={w.remove(tag)}
            className="flex h-full w-5 items-center justify-center rounded-tag text-text-3 hover:text-text touch:w-11"
            onClick={() => onChange(tags.filter((other) => other !== tag))}
          >
            <Icon name="close" size={10} />
          </button>
        </span>
      ))}
      <input
        aria-label={w.add}
        placeholder={w.add}
        list={list}
        value={typed}
        maxLength={LONGEST}
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
