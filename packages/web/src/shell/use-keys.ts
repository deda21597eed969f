import { useEffect, useRef } from 'react'

/** `j`, `?`, `Escape`, or `mod+k` for ⌘ on a Mac and Ctrl elsewhere. */
export type Bindings = Readonly<Record<string, (event: KeyboardEvent) => void>>

/** While the component is there, its keys work; not while someone types or a window is open, except for `mod+`. */
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

/** How the modifier is written here. */
export const modKey = /Mac|iP(hone|ad)/.test(navigator.platform) ? '⌘' : 'Ctrl '
