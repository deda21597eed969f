import { createStore } from '../store.ts'

const KEY = 'panoptes.night-graph'

/** Whether the graph stays dark in the light theme. */
export const nightGraph = createStore(readStored())

export function chooseNight(on: boolean): void {
  try {
    localStorage.setItem(KEY, on ? '1' : '0')
  } catch {
    // If the browser cannot store the choice, it lasts until the tab closes.
  }
  nightGraph.set(on)
}

function readStored(): boolean {
  try {
    return localStorage.getItem(KEY) === '1'
  } catch {
    return false
  }
}
