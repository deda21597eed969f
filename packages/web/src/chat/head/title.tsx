import { useEffect, useRef, useState } from 'react'
import { Icon } from '../../design/icon.tsx'
import { oneLine } from '../../sessions/visible-text.ts'
import { words } from '../../words.ts'

const w = words.chat.head
const LONGEST = 200

/** The title of a conversation; pressing it renames the conversation. */
export function Title(props: { readonly title: string; readonly onRename: (title: string) => void }) {
  const { title } = props
  const [typed, setTyped] = useState<string | null>(null)
  const field = useRef<HTMLInputElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const isTyping = typed !== null
  useEffect(() => {
    if (isTyping) field.current?.select()
  }, [isTyping])
  const end = (isCommit: boolean) => {
    const next = typed?.trim() ?? ''
    setTyped(null)
    if (isCommit && next !== '' && next !== title) props.onRename(next)
    requestAnimationFrame(() => button.current?.focus())
  }
  if (typed !== null)
    return (
      <input
        ref={field}
        type="text"
        aria-label={w.renameLabel}
        maxLength={LONGEST}
        value={typed}
        autoComplete="off"
        className="h-7 min-w-0 flex-1 rounded-control border border-line-strong bg-raised px-2 text-15 font-semibold touch:h-11"
        onChange={(event) => setTyped(event.target.value)}
        onBlur={() => typed !== null && end(true)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') end(true)
          if (event.key === 'Escape') end(false)
        }}
      />
    )
  const shown = oneLine(title, LONGEST) || words.chat.untitled
  return (
    <h2 className="min-w-0 flex-1 text-15 font-semibold">
      <button
        ref={button}
        type="button"
        title={w.rename}
        className="group flex max-w-full items-center gap-2 rounded-control text-left touch:min-h-11"
        onClick={() => setTyped(title)}
      >
        <span className="truncate">{shown}</span>
        <span className="flex text-text-3 opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100">
          <Icon name="pencil" size={12} />
        </span>
        <span className="sr-only">, {w.rename}</span>
      </button>
    </h2>
  )
}
