import { type ReactNode, type RefObject, useEffect, useState } from 'react'
import { classes } from './class-names.ts'
import { Icon } from './icon.tsx'
import { KeyCap } from './key-cap.tsx'

const TYPING_MS = 250

/** A search field that reports its text once typing pauses. Escape clears it, then leaves it. */
export function WordsField(props: {
  readonly label: string
  readonly text: string
  readonly onChange: (text: string | undefined) => void
  readonly input: RefObject<HTMLInputElement | null>
  readonly most?: number
  /** Moves the focus on from the field. */
  readonly onDone?: () => void
  /** The number of results, shown instead of the key cap. */
  readonly end?: ReactNode
  readonly className?: string
}) {
  const { label, text, onChange, input, most = 200 } = props
  const [typed, setTyped] = useState(text)
  useEffect(() => setTyped(text), [text])
  useEffect(() => {
    if (typed === text) return
    const timer = setTimeout(() => onChange(typed === '' ? undefined : typed), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed, text, onChange])
  return (
    <label
      className={classes(
        'flex h-7 min-w-38 flex-1 basis-38 items-center gap-2 rounded-control border border-line-strong bg-raised px-2.5 text-text-3 focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-text max-desk:min-w-52 touch:h-11',
        props.className,
      )}
    >
      <Icon name="search" size={14} />
      <input
        ref={input}
        type="text"
        aria-label={label}
        placeholder={label}
        maxLength={most}
        value={typed}
        spellCheck={false}
        autoComplete="off"
        className="min-w-0 flex-1 bg-transparent text-12 text-text outline-none placeholder:text-text-3"
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' || event.key === 'ArrowDown') props.onDone?.()
          if (event.key !== 'Escape') return
          if (typed === '') event.currentTarget.blur()
          setTyped('')
        }}
      />
      {props.end === undefined ? (
        <span className="max-desk:hidden">
          <KeyCap>/</KeyCap>
        </span>
      ) : (
        <span role="status" className="text-12 whitespace-nowrap">
          {props.end}
        </span>
      )}
    </label>
  )
}
