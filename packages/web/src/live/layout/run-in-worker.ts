import type { Placement } from './layout.ts'
import type { LayoutRunner } from './runner.ts'

/** Computes the layout in a worker, so that a large graph never delays a frame. */
export function runInWorker(): LayoutRunner {
  const worker = new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module' })
  let newest = 0
  let answer: ((placement: Placement) => void) | null = null
  worker.onmessage = ({ data }: MessageEvent<{ readonly id: number; readonly placement: Placement }>) => {
    if (data.id === newest) answer?.(data.placement)
  }
  return {
    place: (sessions, aspect, done) => {
      newest += 1
      answer = done
      worker.postMessage({ id: newest, sessions, aspect })
    },
    stop: () => worker.terminate(),
  }
}
