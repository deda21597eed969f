import { createStore } from '../../store.ts'

/** Notification settings, stored in this browser. */
export interface AlertSettings {
  readonly on: boolean
  readonly quiet: boolean
  readonly from: string
  readonly to: string
}

const KEY = 'panoptes.alerts'
const OFF: AlertSettings = { on: false, quiet: false, from: '22:00', to: '07:00' }

export const alertSettings = createStore<AlertSettings>(readStored())

export function changeAlerts(change: Partial<AlertSettings>): void {
  alertSettings.update((before) => ({ ...before, ...change }))
  try {
    localStorage.setItem(KEY, JSON.stringify(alertSettings.get()))
  } catch {
    // If the browser cannot store the choice, it lasts until the tab closes.
  }
}

function readStored(): AlertSettings {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null')
    return typeof stored === 'object' && stored !== null ? { ...OFF, ...stored } : OFF
  } catch {
    return OFF
  }
}
