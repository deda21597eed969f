import { createStore } from '../../store.ts'

/** What someone chose about notifications; kept in this browser. */
export interface AlertSettings {
  readonly on: boolean
  readonly quiet: boolean
  readonly from: string
  readonly to: string
}

const KEY = 'panoptes.alerts'
const OFF: AlertSettings = { on: false, quiet: false, from: '22:00', to: '07:00' }

export const alertSettings = createStore<AlertSettings>(readKept())

export function changeAlerts(change: Partial<AlertSettings>): void {
  alertSettings.update((before) => ({ ...before, ...change }))
  try {
    localStorage.setItem(KEY, JSON.stringify(alertSettings.get()))
  } catch {
    // A browser that keeps nothing still honours the choice until the tab closes.
  }
}

function readKept(): AlertSettings {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null')
    return typeof kept === 'object' && kept !== null ? { ...OFF, ...kept } : OFF
  } catch {
    return OFF
  }
}
