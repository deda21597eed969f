import { isQuiet } from './causes.ts'
import { alertSettings } from './settings.ts'

/** Whether someone asked to be told through the browser, and may be now. */
export function mayNotify(): boolean {
  const { on, quiet, from, to } = alertSettings.get()
  if (!on || typeof Notification === 'undefined' || Notification.permission !== 'granted') return false
  return !quiet || !isQuiet(from, to, new Date())
}
