const MIB = 1024 * 1024

/** Largest file, and largest sum of files in one request, by the boost tier of the guild. */
export function uploadLimits(boostTier: number): { file: number; request: number } {
  if (boostTier >= 3) return { file: 100 * MIB, request: 100 * MIB }
  if (boostTier === 2) return { file: 50 * MIB, request: 50 * MIB }
  return { file: 10 * MIB, request: 25 * MIB }
}

export type UploadPlan<T> =
  | { readonly kind: 'messages'; readonly messages: readonly (readonly T[])[] }
  | { readonly kind: 'too_large'; readonly files: readonly T[] }

/** Discord accepts at most this many files in one message. */
const MAX_FILES = 10

/** Distributes files over as few messages as their order allows. No file is left out. */
export function planUploads<T extends { readonly size: number }>(
  files: readonly T[],
  boostTier: number,
): UploadPlan<T> {
  const limits = uploadLimits(boostTier)
  const tooLarge = files.filter(({ size }) => size > limits.file)
  if (tooLarge.length > 0) return { kind: 'too_large', files: tooLarge }
  const messages: T[][] = []
  let left = 0
  for (const file of files) {
    const last = messages.at(-1)
    if (last && file.size <= left && last.length < MAX_FILES) last.push(file)
    else {
      messages.push([file])
      left = limits.request
    }
    left -= file.size
  }
  return { kind: 'messages', messages }
}
