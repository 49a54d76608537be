let isHidden = false;

/**
 * Hides the Node warning that Google's library emits when it looks for credentials on a machine without Google's
 * metadata server. The error that follows says what to do.
 */
export function hideMetadataWarning(): void {
  if (isHidden) return;
  isHidden = true;
  const emitWarning = process.emitWarning.bind(process) as (...words: readonly unknown[]) => void;
  process.emitWarning = (...words: readonly unknown[]) => {
    if (words[1] !== "MetadataLookupWarning") emitWarning(...words);
  };
}
