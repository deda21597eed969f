import { isQuiet } from './causes.ts'
import { alertSettings } from './settings.ts'

/** Whether the person turned notifications on and the browser permits them. */
export function mayNotify(): boolean {
  const { on, quiet, from, to } = alertSettings.get()
  if (!on || typeof Notification === 'undefined' || Notification.permission !== 'granted') return false
  return !quiet || !isQuiet(from, to, new Date())
}
