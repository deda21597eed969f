import { useEffect, useRef } from 'react'

/** Keys such as `j`, `?` and `Escape`; `mod+k` means ⌘ on a Mac and Ctrl elsewhere. */
export type Bindings = Readonly<Record<string, (event: KeyboardEvent) => void>>

/**
 * Registers shortcuts while the component is mounted. Except for `mod+`, they do not work while someone types
 * or a dialog is open.
 */
export function useKeys(bindings: Bindings): void {
  const current = useRef(bindings)
  current.current = bindings
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey) return
      const mod = event.metaKey || event.ctrlKey
      if (!mod && isBusy(event.target, event.key)) return
      const run = current.current[mod ? `mod+${event.key.toLowerCase()}` : event.key]
      if (!run) return
      event.preventDefault()
      run(event)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

const TYPING = 'input:not([type=radio]), textarea, select, [role=dialog], [role=menu]'
const PRESSING = 'button, a, summary, input'

function isBusy(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof Element)) return false
  return target.closest(key === ' ' ? `${TYPING}, ${PRESSING}` : TYPING) !== null
}

/** The label of the modifier key on this platform. */
export const modKey = /Mac|iP(hone|ad)/.test(navigator.platform) ? '⌘' : 'Ctrl '
