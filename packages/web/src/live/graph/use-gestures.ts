import { type PointerEvent, type RefObject, useEffect, useRef } from 'react'
import { moveBy, zoomAt } from '../draw/camera.ts'
import type { Stage } from '../draw/stage.ts'

const CLICK_PX = 5
const SWIPE_PX = 40

export interface GestureOptions {
  readonly stage: RefObject<Stage | null>
  readonly canvas: RefObject<HTMLCanvasElement | null>
  /** The person moved the view, so it no longer fits itself. */
  readonly onHold: () => void
  /** The current effect of a swipe; null if dragging pans the view. */
  readonly swipe: () => ((by: 1 | -1) => void) | null
  readonly onClick: (x: number, y: number) => void
}

/** Drag to pan, wheel or pinch to zoom, click to select. */
export function useGestures({ stage, canvas, onHold, swipe, onClick }: GestureOptions) {
  const pointers = useRef(new Map<number, { x: number; y: number }>())
  const travelled = useRef(0)
  const start = useRef({ x: 0, y: 0 })

  useEffect(() => {
    const element = canvas.current
    if (!element) return
    const onWheel = (event: WheelEvent) => {
      const now = stage.current
      if (!now) return
      event.preventDefault()
      const box = element.getBoundingClientRect()
      const factor = Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0016))
      onHold()
      now.setCamera(zoomAt(now.camera(), factor, event.clientX - box.left, event.clientY - box.top), false)
    }
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => element.removeEventListener('wheel', onWheel)
  }, [stage, canvas, onHold])

  const pointerPosition = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect()
    return { x: event.clientX - box.left, y: event.clientY - box.top }
  }

  return {
    onPointerDown: (event: PointerEvent<HTMLCanvasElement>) => {
      event.currentTarget.setPointerCapture(event.pointerId)
      pointers.current.set(event.pointerId, pointerPosition(event))
      if (pointers.current.size > 1) return
      travelled.current = 0
      start.current = pointerPosition(event)
    },
    onPointerMove: (event: PointerEvent<HTMLCanvasElement>) => {
      const now = stage.current
      const at = pointerPosition(event)
      const before = pointers.current.get(event.pointerId)
      if (!now) return
      if (!before) {
        const hit = now.hover(at.x, at.y)
        event.currentTarget.dataset.over = hit === null ? 'nothing' : 'agent'
        return
      }
      const others = [...pointers.current].filter(([id]) => id !== event.pointerId).map(([, place]) => place)
      const other = others[0]
      travelled.current += Math.hypot(at.x - before.x, at.y - before.y)
      if (other) {
        const factor =
          Math.hypot(at.x - other.x, at.y - other.y) /
          Math.max(1, Math.hypot(before.x - other.x, before.y - other.y))
        onHold()
        now.setCamera(zoomAt(now.camera(), factor, (at.x + other.x) / 2, (at.y + other.y) / 2), false)
      } else if (travelled.current > CLICK_PX && !swipe()) {
        onHold()
        now.setCamera(moveBy(now.camera(), at.x - before.x, at.y - before.y), false)
      }
      pointers.current.set(event.pointerId, at)
    },
    onPointerUp: (event: PointerEvent<HTMLCanvasElement>) => {
      const at = pointerPosition(event)
      const alone = pointers.current.size === 1
      pointers.current.delete(event.pointerId)
      if (!alone) return
      const across = at.x - start.current.x
      if (travelled.current <= CLICK_PX) onClick(at.x, at.y)
      else if (Math.abs(across) > Math.max(SWIPE_PX, Math.abs(at.y - start.current.y)))
        swipe()?.(across < 0 ? 1 : -1)
    },
    onPointerCancel: (event: PointerEvent<HTMLCanvasElement>) => {
      pointers.current.delete(event.pointerId)
    },
    onPointerLeave: () => {
      stage.current?.hover(-1_000, -1_000)
    },
  }
}
