import { createStore } from '../store.ts'

const KEY = 'panoptes.night-graph'

/** Whether the graph stays dark in the light theme. */
export const nightGraph = createStore(readKept())

export function chooseNight(on: boolean): void {
  try {
    localStorage.setItem(KEY, on ? '1' : '0')
  } catch {
    // A browser that keeps nothing still shows the choice until the tab closes.
  }
  nightGraph.set(on)
}

function readKept(): boolean {
  try {
    return localStorage.getItem(KEY) === '1'
  } catch {
    return false
  }
}
