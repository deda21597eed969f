import { useEffect, useState } from 'react'
import { createStore, useStore } from '../store.ts'
import { words } from '../words.ts'
import { Button, IconButton } from './button.tsx'
import { Glyph } from './glyph.tsx'

export interface Toast {
  readonly text: string
  readonly tone?: 'done' | 'failed'
  /** Offers to undo it while the toast is visible. */
  readonly undo?: () => void
  /** Another action for the toast. */
  readonly act?: { readonly label: string; readonly run: () => void }
}

interface VisibleToast extends Toast {
  readonly id: number
}

const SHORT_MS = 4_000
const UNDO_MS = 10_000
const MOST = 3

const visibleToasts = createStore<readonly VisibleToast[]>([])
let last = 0

export function toast(one: Toast): void {
  last += 1
  visibleToasts.update((before) =>
    [...before.filter((other) => other.text !== one.text), { ...one, id: last }].slice(-MOST),
  )
}

export const clearToasts = (): void => visibleToasts.set([])

const dismiss = (id: number): void => visibleToasts.update((before) => before.filter((one) => one.id !== id))

export function Toasts() {
  const toasts = useStore(visibleToasts)
  return (
    <section
      aria-label={words.toasts}
      aria-live="polite"
      className="pointer-events-none fixed inset-x-4 bottom-20 z-50 flex flex-col items-end gap-2 desk:bottom-4"
    >
      {toasts.map((one) => (
        <ToastCard key={one.id} toast={one} />
      ))}
    </section>
  )
}

function ToastCard({ toast: one }: { readonly toast: VisibleToast }) {
  const [rests, setRests] = useState(false)
  const action = one.undo ? { label: words.actions.undo, run: one.undo } : one.act
  useEffect(() => {
    if (rests) return
    const timer = setTimeout(() => dismiss(one.id), one.undo || one.act ? UNDO_MS : SHORT_MS)
    return () => clearTimeout(timer)
  }, [one, rests])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the pointer only keeps it visible while someone reads it
    <div
      onMouseEnter={() => setRests(true)}
      onMouseLeave={() => setRests(false)}
      onFocus={() => setRests(true)}
      onBlur={() => setRests(false)}
      className="pointer-events-auto flex max-w-full items-center gap-2 rounded-control border border-line-strong bg-raised py-1.5 pr-1.5 pl-3 text-12 shadow-float"
    >
      <Glyph name={one.tone ?? 'done'} />
      <span className="mr-1 min-w-0">{one.text}</span>
      {action && (
        <Button
          kind="quiet"
          onClick={() => {
            action.run()
            dismiss(one.id)
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton icon="close" kind="quiet" label={words.actions.dismiss} onClick={() => dismiss(one.id)} />
    </div>
  )
}
